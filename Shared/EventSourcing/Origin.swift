public import JSON

/// The service instance that writes a journal, such as `sensor-ingest/farm-0`. No other instance appends to it.
public struct Origin: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The service's name, such as `sensor-ingest`.
    public let service: String
    /// The site's name, such as `farm`.
    public let site: String
    /// The instance's slot at its site, from 0.
    public let slot: Int

    /// Creates an origin.
    public init(service: String, site: String, slot: Int) {
        self.service = service
        self.site = site
        self.slot = slot
    }

    /// Parses `service/site-slot`; the site may contain hyphens. Returns nil for another spelling of the slot: a sign
    /// or leading zeros.
    public init?(_ text: String) {
        self.init(utf8: text.utf8.span)
    }

    /// Parses the same format from UTF-8.
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
        // Eighteen digits always fit into an `Int`.
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
