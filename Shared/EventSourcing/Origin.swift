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
        self.init(text[...])
    }

    public init?(_ text: Substring) {
        let bytes = text.utf8
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")), slash > bytes.startIndex,
            let hyphen = bytes.lastIndex(of: UInt8(ascii: "-")), case let site = bytes.index(after: slash),
            hyphen > site, !bytes[site...].contains(UInt8(ascii: "/")),
            let slot = Self.slot(bytes[bytes.index(after: hyphen)...])
        else { return nil }
        self.init(service: String(text[..<slash]), site: String(text[site..<hyphen]), slot: slot)
    }

    private static func slot(_ digits: Substring.UTF8View) -> Int? {
        // Eighteen digits always fit.
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1, digits.count <= 18 else {
            return nil
        }
        var slot = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            slot = slot * 10 + Int(digit)
        }
        return slot
    }

    public var description: String { "\(service)/\(site)-\(slot)" }

    public static func < (left: Origin, right: Origin) -> Bool {
        (left.service, left.site, left.slot) < (right.service, right.site, right.slot)
    }
}

extension Origin: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let origin = Origin(try json.string()) else {
            throw json.error("expected service/site-slot")
        }
        self = origin
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
