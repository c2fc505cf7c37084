import EventSourcing
import Events
import Radio
import Vocabulary

/// Decodes the kept advertisements of its own journal that older decoders did not understand, a page in each tick after
/// the start.
struct Redecoding {
    private let origin: String
    private let decoder: AdvertisementDecoder
    private let version: Int
    private var after: String? = ""

    /// - Parameter version: of `decoder`; what was kept by decoders of this version is left alone.
    init(origin: Origin, decoder: AdvertisementDecoder, version: Int) {
        self.origin = origin.description
        self.decoder = decoder
        self.version = version
    }

    /// The advertisements of the next page that are understood now.
    mutating func next(_ tables: any Tables) -> [(kept: KeptAdvertRow, heard: DecodedInput)] {
        guard let after else { return [] }
        let page = tables.scan(KeptAdvertRow.self, prefix: "", after: after, limit: SensorLimits.pageItems)
        self.after = page.count == SensorLimits.pageItems ? page.last?.key : nil
        return page.compactMap { row in
            guard row.decoders < version, row.origin == origin, let data = Hex.decode(row.data) else { return nil }
            let address = UInt64(row.device.rawValue.dropFirst(4), radix: 16)
            let heard = decoder.decode(Advertisement(address: address, rssi: row.rssi, data: data))
            return heard.reports.contains { $0.readings.contains { $0.doubt == nil } } ? (row, heard) : nil
        }
    }
}
