import EventSourcing
import Events
import Radio
import Vocabulary

/// Decodes this journal's stored advertisements again if older decoders did not understand them, one page per tick
/// after the start.
struct Redecoding {
    private let origin: String
    private var decoder: AdvertisementDecoder
    private let version: Int
    private var after: String? = ""
    /// The devices with new keys. Their advertisements are decoded again, also those that this version stored.
    private var paired: Set<DeviceID> = []

    /// - Parameter version: The version of `decoder`. Advertisements stored by decoders of this version are skipped.
    init(origin: Origin, decoder: AdvertisementDecoder, version: Int) {
        self.origin = origin.description
        self.decoder = decoder
        self.version = version
    }

    /// Takes new keys and restarts at the first stored advertisement.
    mutating func pair(_ keys: [DeviceID: [UInt8]], newOf devices: Set<DeviceID>) {
        decoder.keys = keys
        guard !devices.isEmpty else { return }
        // A pass that is under way ends with the next one.
        paired = after == nil ? devices : paired.union(devices)
        after = ""
    }

    /// Returns the advertisements of the next page that are understood now.
    mutating func next(_ tables: any Tables) -> [(kept: KeptAdvertRow, decoded: DecodedInput)] {
        guard let after else { return [] }
        let page = tables.scan(KeptAdvertRow.self, prefix: "", after: after, limit: SensorLimits.pageItems)
        self.after = page.count == SensorLimits.pageItems ? page.last?.key : nil
        return page.compactMap { row in
            guard row.decoders < version || paired.contains(row.device), row.origin == origin,
                let data = Hex.decode(row.data)
            else { return nil }
            let address = UInt64(row.device.rawValue.dropFirst(4), radix: 16)
            let decoded = decoder.decode(Advertisement(address: address, rssi: row.rssi, data: data))
            return decoded.reports.contains { $0.readings.contains { $0.doubt == nil } } ? (row, decoded) : nil
        }
    }
}
