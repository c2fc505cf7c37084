import JSON
import Vocabulary

/// What each reader receives of the beacons around it, as sensor-ingest sends it once a second. It is stored in memory
/// only.
struct NearbyBeacons {
    private struct Reader {
        let json: [UInt8]
        let tick: UInt64
    }

    private var readers: [String: Reader] = [:]

    /// Stores the newest list of a reader, in the form in which it is shown. Returns false if there are too many
    /// readers.
    mutating func note(_ json: [UInt8], of reader: String, isEmpty: Bool, at tick: UInt64) -> Bool {
        readers = readers.filter { $0.value.tick + GatewayLimits.readerTicks > tick }
        if isEmpty {
            readers[reader] = nil
            return true
        }
        guard readers[reader] != nil || readers.count < GatewayLimits.readers else { return false }
        readers[reader] = Reader(json: json, tick: tick)
        return true
    }

    /// Writes the readers that receive something now, or the one that is named.
    func write(_ name: String?, at tick: UInt64, to json: inout JSONWriter) {
        json.field(
            "items",
            array: { json in
                for (reader, newest) in readers.sorted(by: { $0.key < $1.key })
                where newest.tick + GatewayLimits.readerTicks > tick && (name == nil || name == reader) {
                    json.raw(newest.json)
                }
            })
        json.field("next", JSONAny.null)
    }
}
