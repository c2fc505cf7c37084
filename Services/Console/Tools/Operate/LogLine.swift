import JSON

/// One line of a service's log, with its time.
struct LogLine: Equatable {
    /// `sync-gateway-0`, the name of its file.
    let source: String
    /// RFC 3339 to the millisecond without the zone, `2026-11-21T21:13:27.123`, so that texts sort as times do.
    let time: String
    let bytes: [UInt8]

    private static let timeBytes = 23

    /// - Parameter before: the time of the previous line, to which a line without a time belongs.
    init(_ bytes: [UInt8], of source: String, before: String) {
        self.source = source
        self.bytes = bytes
        time = Self.time(in: bytes) ?? before
    }

    /// Services write JSON with a member `time`, Postgres begins with `2026-11-21 21:13:27.123 UTC`.
    private static func time(in bytes: [UInt8]) -> String? {
        if bytes.first == UInt8(ascii: "{") {
            do {
                let time: String? = try JSONValue.parse(bytes).find("time")
                return time.map { String($0.prefix(timeBytes)) }
            } catch { return nil }
        }
        let text = Array(bytes.prefix(timeBytes))
        guard text.count == timeBytes, text[4] == 0x2D, text[7] == 0x2D, text[13] == 0x3A else { return nil }
        return String(decoding: text[..<10], as: UTF8.self) + "T" + String(decoding: text[11...], as: UTF8.self)
    }

    /// The line for an operator: `2026-11-21 21:13:27  sync-gateway-0  warning  what happened  (key value, key value)`.
    var text: String {
        let when = time.replacing("T", with: " ").prefix(19)
        guard bytes.first == UInt8(ascii: "{") else {
            return "\(when)  \(source)  \(String(decoding: bytes, as: UTF8.self))"
        }
        do {
            let json = try JSONValue.parse(bytes)
            let known: Set = ["time", "level", "service", "message"]
            let more = (json.object.map { Array($0) } ?? []).filter { !known.contains($0.0) }.map {
                "\($0.0) \((json.text($0.0)) ?? json.number($0.0).map(String.init) ?? "")"
            }
            let details = more.isEmpty ? "" : "  (\(more.joined(separator: ", ")))"
            return "\(when)  \(source)  \(json.text("level") ?? "")  \(json.text("message") ?? "")\(details)"
        } catch {
            return "\(when)  \(source)  \(String(decoding: bytes, as: UTF8.self))"
        }
    }
}
