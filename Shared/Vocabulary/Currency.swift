public import JSON

/// A currency: three capital letters (ISO 4217).
public struct Currency: Hashable, Sendable, CustomStringConvertible {
    /// The three letters: `EUR`.
    public let code: String

    /// Creates a currency; nil unless the text is three capital letters.
    public init?(_ code: String) {
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        self.code = code
    }

    public var description: String { code }

    /// The number of decimal digits in amounts of this currency (ISO 4217, "minor unit").
    public var digits: Int {
        if Self.withoutMinorUnit.contains(code) { return 0 }
        if Self.withThreeDigits.contains(code) { return 3 }
        return Self.withFourDigits.contains(code) ? 4 : 2
    }

    private static let withoutMinorUnit: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
        "XPF",
    ]
    private static let withThreeDigits: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
    private static let withFourDigits: Set<String> = ["CLF", "UYW"]
}

extension Currency: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let currency = Currency(try json.string()) else {
            throw json.error("expected three capital letters as in ISO 4217")
        }
        self = currency
    }

    public func write(to json: inout JSONWriter) {
        json.string(code)
    }
}
