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
        self.init(utf8: text.utf8.span)
    }

    /// Reads the same from its UTF-8.
    public init?(utf8 text: Span<UInt8>) {
        var (slash, hyphen) = (0, 0)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "/"):
                guard slash == 0, index > 0 else { return nil }
                slash = index
            case UInt8(ascii: "-"): hyphen = index
            default: continue
            }
        }
        guard slash > 0, hyphen > slash + 1, let slot = Self.slot(text.extracting((hyphen + 1)...)) else { return nil }
        do throws(UTF8.ValidationError) {
            self.init(
                service: String(copying: try UTF8Span(validating: text.extracting(..<slash))),
                site: String(copying: try UTF8Span(validating: text.extracting((slash + 1)..<hyphen))), slot: slot)
        } catch { return nil }
    }

    private static func slot(_ digits: Span<UInt8>) -> Int? {
        // Eighteen digits always fit.
        guard (1...18).contains(digits.count), digits[0] != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var slot = 0
        for index in digits.indices {
            let digit = digits[index] &- UInt8(ascii: "0")
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
        self = try json.text("expected service/site-slot") { Origin(utf8: $0) }
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
