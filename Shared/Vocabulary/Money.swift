public import JSON

/// An amount of money in the smallest unit of its currency: 3.90 € is 390 EUR. Never a fraction, never a float.
public struct Money: Hashable, Sendable {
    public let minor: Int64
    public let currency: Currency

    public init(_ minor: Int64, _ currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    /// So many times as much; nil where that is more than a number holds.
    public func times(_ count: Int) -> Money? {
        let (product, overflows) = minor.multipliedReportingOverflow(by: Int64(count))
        return overflows ? nil : Money(product, currency)
    }

    /// The sum; nil where the currencies differ or it is more than a number holds.
    public func plus(_ other: Money) -> Money? {
        guard currency == other.currency else { return nil }
        let (sum, overflows) = minor.addingReportingOverflow(other.minor)
        return overflows ? nil : Money(sum, currency)
    }

    /// The sum of all; nil where there is none, currencies differ, or it is more than a number holds.
    public static func sum(_ amounts: some Sequence<Money>) -> Money? {
        var sum: Money?
        for amount in amounts {
            guard let before = sum else {
                sum = amount
                continue
            }
            guard let both = before.plus(amount) else { return nil }
            sum = both
        }
        return sum
    }
}

extension Money: CustomStringConvertible {
    /// For people: `3.90 EUR`, `390 JPY`, with as many decimal digits as the currency has.
    public var description: String {
        let digits = currency.digits
        let sign = minor < 0 ? "-" : ""
        let figures = String(minor.magnitude)
        guard digits > 0 else { return "\(sign)\(figures) \(currency)" }
        let padded = String(repeating: "0", count: max(0, digits + 1 - figures.utf8.count)) + figures
        return "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits)) \(currency)"
    }
}

extension Money: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        minor = try json.get("minor")
        currency = try json.get("currency")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("minor", minor)
            json.field("currency", currency)
        }
    }
}
