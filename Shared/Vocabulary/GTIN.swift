public import JSON

/// A Global Trade Item Number of 14 digits with its check digit (GS1 General Specifications, section 7.9).
public struct GTIN: Hashable, Sendable, CustomStringConvertible {
    /// The 14 digits, with leading zeros.
    public let digits: String

    /// Reads a number; nil unless the text is 8, 12, 13 or 14 digits with a correct check digit.
    public init?(_ text: String) {
        let values = text.utf8.map { Int($0) - 48 }
        guard [8, 12, 13, 14].contains(values.count), values.allSatisfy({ (0...9).contains($0) }),
            let last = values.last, last == Self.checkDigit(of: values.dropLast())
        else { return nil }
        digits = String(repeating: "0", count: 14 - values.count) + text
    }

    /// Returns a number for internal use in one company (prefix 02: restricted circulation); nil from 10^10 on.
    public static func restricted(_ number: Int) -> GTIN? {
        guard (0..<10_000_000_000).contains(number) else { return nil }
        let text = String(number)
        let body = "002" + String(repeating: "0", count: 10 - text.count) + text
        return GTIN(body + String(checkDigit(of: body.utf8.map { Int($0) - 48 })))
    }

    /// Whether the number is unique within one company only, as for a farm without a GS1 prefix.
    public var isRestricted: Bool {
        let prefix = digits.dropFirst(1).prefix(2)
        return prefix == "02" || prefix.first == "2"
    }

    public var description: String { digits }

    private static func checkDigit(of values: some BidirectionalCollection<Int>) -> Int {
        var sum = 0
        for (index, value) in values.reversed().enumerated() { sum += value * (index.isMultiple(of: 2) ? 3 : 1) }
        return (10 - sum % 10) % 10
    }
}

extension GTIN: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let gtin = GTIN(try json.string()) else {
            throw json.error("expected a GTIN with a right check digit")
        }
        self = gtin
    }

    public func write(to json: inout JSONWriter) {
        json.string(digits)
    }
}
