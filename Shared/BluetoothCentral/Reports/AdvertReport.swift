import JSON
import Radio
package import Vocabulary

/// An advertisement, or a value of a characteristic, in the form of `POST /v1/adverts`.
package struct AdvertReport: Hashable, Sendable {
    let address: UInt64
    let data: [UInt8]
    let rssi: Int?
    package let at: Instant
    let characteristic: String?
    let sensor: String?

    package init(
        address: UInt64, data: [UInt8], rssi: Int?, at: Instant, characteristic: String?, sensor: String?
    ) {
        self.address = address
        self.data = data
        self.rssi = rssi
        self.at = at
        self.characteristic = characteristic
        self.sensor = sensor
    }

    /// The report as one line of JSON, without its time: the clock may be set before the report is sent.
    package var text: String {
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * $0)) }
        var json = JSONWriter()
        json.object { json in
            json.member("address", Hex.encode(bytes))
            json.member("hex", Hex.encode(data))
            json.member("rssi", ifPresent: rssi)
            json.member("characteristic", ifPresent: characteristic)
            json.member("sensor", ifPresent: sensor)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Returns a report, whose text has no time, with its time.
    package static func line(_ text: String, at time: Instant) -> String { "{\"at\":\"\(time)\"," + text.dropFirst() }

    /// Returns the body of a request with these reports, each as `line` returned it.
    package static func body(of reports: [String]) -> [UInt8] {
        Array("{\"adverts\":[".utf8) + Array(reports.joined(separator: ",").utf8) + Array("]}".utf8)
    }
}
