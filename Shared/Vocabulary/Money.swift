public import JSON

/// An amount of money in the smallest unit of its currency: 3.90 € is 390 EUR. Never a fraction, never a float.
///
/// ```
/// guard let euro = Currency("EUR") else { return nil }
/// let total = Money(390, euro).times(2)
/// ```
public struct Money: Hashable, Sendable {
    /// The amount in the currency's smallest unit.
    public let minor: Int64
    /// The currency.
    public let currency: Currency

    /// Creates an amount in the currency's smallest unit.
    public init(_ minor: Int64, _ currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    /// Returns the multiple; nil if it overflows.
    public func times(_ count: Int) -> Money? {
        let (product, overflows) = minor.multipliedReportingOverflow(by: Int64(count))
        return overflows ? nil : Money(product, currency)
    }

    /// Returns the sum; nil if the currencies differ or it overflows.
    public func plus(_ other: Money) -> Money? {
        guard currency == other.currency else { return nil }
        let (sum, overflows) = minor.addingReportingOverflow(other.minor)
        return overflows ? nil : Money(sum, currency)
    }

    /// Returns the sum; nil if there are no amounts, currencies differ, or it overflows.
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
    /// A text for people: `3.90 EUR`, `390 JPY`, with as many decimals as the currency has.
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
