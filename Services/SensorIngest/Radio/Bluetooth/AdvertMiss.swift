/// Why an advertisement gave nothing.
public enum AdvertGap: String, CaseIterable, Hashable, Sendable {
    /// No decoder knows its format.
    case unsupported
    /// It is encrypted, and the key is not known.
    case encrypted
    /// Its end is missing.
    case truncated
}

/// An advertisement that carries data and gave nothing.
public struct AdvertMiss: Hashable, Sendable {
    public var advertisement: Advertisement
    public var gap: AdvertGap
    /// What a decoder found wrong, if one took it for its own.
    public var detail: String?
}

extension AdvertisementDecoder {
    /// The version of all decoders of advertisements. It grows with every format that is added: what an older version
    /// did not understand is then decoded again.
    public static let version = 1

    /// Returns why `advertisement` gave nothing; nil where it was understood or carries no data.
    ///
    /// - Parameter heard: what `decode` made of it.
    public static func miss(_ advertisement: Advertisement, _ heard: DecodedInput) -> AdvertMiss? {
        guard !heard.isUnderstood else { return nil }
        let detail = (heard.sealed.first ?? heard.problems.first)?.description
        func miss(_ gap: AdvertGap) -> AdvertMiss { AdvertMiss(advertisement: advertisement, gap: gap, detail: detail) }
        if !heard.sealed.isEmpty { return miss(.encrypted) }
        var structures = ADStructures(advertisement.data)
        var carriesData = false
        while let structure = structures.next() {
            if Self.carriesData(structure) { carriesData = true }
        }
        if structures.isCutOff || advertisement.isIncomplete || heard.problems.contains(where: \.isCutOff) {
            return miss(.truncated)
        }
        return carriesData || !heard.problems.isEmpty ? miss(.unsupported) : nil
    }

    /// Whether a structure may hold what a sensor measures. Telephones and computers fill the air with adverts under
    /// addresses that change every few minutes; these are nobody's sensors.
    private static func carriesData(_ structure: ADStructure) -> Bool {
        var body = structure.body
        do throws(Malformed) {
            switch structure.type {
            case ADType.manufacturer: return !personalCompanies.contains(try body.u16()) && !body.isAtEnd
            case ADType.serviceData16:
                let service = try body.u16()
                // A MiBeacon without an object says only that it is there.
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
    /// Exposure notifications, Google's and Samsung's services of telephones, and tags that are looked for (16-bit
    /// UUIDs of members, Bluetooth Assigned Numbers, section 3.11).
    private static let personalServices: Set<UInt16> = [
        0xFD6F, 0xFE9F, 0xFEF3, 0xFE2C, 0xFCF1, 0xFD5A, 0xFD59, 0xFCB2,
    ]
}

extension DecodedInput {
    /// Whether anything was read: a value, a refused value, a beacon, or a format that has nothing to say.
    fileprivate var isUnderstood: Bool {
        if !beacons.isEmpty || !raws.isEmpty { return true }
        if reports.contains(where: { !$0.readings.isEmpty || !$0.rejected.isEmpty }) { return true }
        return !reports.isEmpty && problems.isEmpty && sealed.isEmpty
    }
}
