public import JSON

/// Who wrote a journal: one service instance, `sensor-ingest/farm-0`. Only that instance ever appends to it.
public struct Origin: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let service: String
    public let site: String
    public let slot: Int

    public init(service: String, site: String, slot: Int) {
        self.service = service
        self.site = site
        self.slot = slot
    }

    /// Reads `service/site-slot`; the site may hold hyphens. One origin has one spelling: no sign, no leading zeros.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let hyphen = parts[1].lastIndex(of: "-"),
            case let digits = parts[1][parts[1].index(after: hyphen)...], let slot = Int(digits), slot >= 0,
            String(slot) == digits, hyphen > parts[1].startIndex
        else { return nil }
        self.init(service: String(parts[0]), site: String(parts[1][..<hyphen]), slot: slot)
    }

    public var description: String { "\(service)/\(site)-\(slot)" }

    public static func < (left: Origin, right: Origin) -> Bool {
        (left.service, left.site, left.slot) < (right.service, right.site, right.slot)
    }
}

extension Origin: JSONReadable, JSONWritable {
    public init(json: JSONValue) throws(JSONError) {
        guard let origin = Origin(try json.string()) else {
            throw json.error("expected service/site-slot")
        }
        self = origin
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
