/// The reason why nothing was decoded from an advertisement.
public enum UndecodedReason: String, CaseIterable, Hashable, Sendable {
    /// No decoder supports its format.
    case unsupported
    /// It is encrypted with an unknown key.
    case encrypted
    /// Its end is missing.
    case truncated
}

/// An advertisement that carries data of which nothing was decoded.
public struct UndecodedAdvertisement: Hashable, Sendable {
    public var advertisement: Advertisement
    public var gap: UndecodedReason
    /// The error of the decoder that claimed the advertisement, if one did.
    public var detail: String?
}

extension AdvertisementDecoder {
    /// The version of all advertisement decoders together.
    ///
    /// It is increased with every format that is added. Advertisements that an older version did not understand are
    /// then decoded again.
    public static let version = 2

    /// Returns why nothing was decoded from `advertisement`; nil if it was understood or carries no data.
    ///
    /// - Parameter heard: The result of `decode`.
    public static func miss(_ advertisement: Advertisement, _ decoded: DecodedInput) -> UndecodedAdvertisement? {
        guard !decoded.isUnderstood else { return nil }
        let detail = (decoded.sealed.first ?? decoded.problems.first)?.description
        func miss(_ gap: UndecodedReason) -> UndecodedAdvertisement {
            UndecodedAdvertisement(advertisement: advertisement, gap: gap, detail: detail)
        }
        if !decoded.sealed.isEmpty { return miss(.encrypted) }
        var structures = ADStructures(advertisement.data)
        var carriesData = false
        while let structure = structures.next() {
            if Self.carriesData(structure) { carriesData = true }
        }
        if structures.isCutOff || advertisement.isIncomplete || decoded.problems.contains(where: \.isCutOff) {
            return miss(.truncated)
        }
        return carriesData || !decoded.problems.isEmpty ? miss(.unsupported) : nil
    }

    /// Whether a structure may contain measurements.
    ///
    /// Phones and computers send many advertisements under addresses that change every few minutes; those are excluded.
    private static func carriesData(_ structure: ADStructure) -> Bool {
        var body = structure.body
        do throws(Malformed) {
            switch structure.type {
            case ADType.manufacturer: return !personalCompanies.contains(try body.u16()) && !body.isAtEnd
            case ADType.serviceData16:
                let service = try body.u16()
                // A MiBeacon without an object only announces its presence.
                return service != MiBeacon.service && !personalServices.contains(service) && !body.isAtEnd
            case ADType.serviceData32, ADType.serviceData128: return true
            default: return false
            }
        } catch {
            return false
        }
    }

    /// Apple, Microsoft, Samsung, Google (Bluetooth Assigned Numbers, section 7).
    private static let personalCompanies: Set<UInt16> = [0x004C, 0x0006, 0x0075, 0x00E0]
    /// Exposure notifications, services of Google's and Samsung's phones, and trackers (16-bit UUIDs of members,
    /// Bluetooth Assigned Numbers, section 3.11).
    private static let personalServices: Set<UInt16> = [
        0xFD6F, 0xFE9F, 0xFEF3, 0xFE2C, 0xFCF1, 0xFD5A, 0xFD59, 0xFCB2,
    ]
}

extension DecodedInput {
    /// Whether anything was decoded: a value, a rejected value, a beacon, or a supported format without values.
    fileprivate var isUnderstood: Bool {
        if !beacons.isEmpty || !raws.isEmpty { return true }
        if reports.contains(where: { !$0.readings.isEmpty || !$0.rejected.isEmpty }) { return true }
        return !reports.isEmpty && problems.isEmpty && sealed.isEmpty
    }
}
