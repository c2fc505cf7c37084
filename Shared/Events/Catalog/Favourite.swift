public import JSON
public import Vocabulary

/// A favourite of a person: a farm or a product. Written `farm/f1` or `product/carrots`.
public enum Favourite: Hashable, Sendable, CustomStringConvertible {
    case farm(FarmID)
    case product(ProductID)

    /// Reads `farm/…` or `product/…`; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, text.utf8.count <= 200 else { return nil }
        switch parts[0] {
        case "farm": self = .farm(FarmID(String(parts[1])))
        case "product": self = .product(ProductID(String(parts[1])))
        default: return nil
        }
    }

    public var description: String {
        switch self {
        case .farm(let farm): "farm/\(farm)"
        case .product(let product): "product/\(product)"
        }
    }
}

extension Favourite: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let favourite = Favourite(try json.string()) else { throw json.error("expected farm/… or product/…") }
        self = favourite
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
