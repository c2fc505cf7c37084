public import JSON

/// A currency: three capital letters (ISO 4217).
public struct Currency: Hashable, Sendable, CustomStringConvertible {
    public let code: String

    public init?(_ code: String) {
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        self.code = code
    }

    public var description: String { code }
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
