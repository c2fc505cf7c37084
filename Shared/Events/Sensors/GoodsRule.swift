public import Vocabulary

extension RuleID {
    private static let goodsPrefix = "goods-"

    /// The rule that protects a kind of goods in the stores that contain it.
    public static func goods(_ goods: String, _ quantity: Quantity) -> RuleID {
        RuleID("\(goodsPrefix)\(goods)-\(quantity.rawValue)")
    }

    /// Whether the name is reserved for rules of goods.
    public var isOfGoods: Bool { rawValue.hasPrefix(Self.goodsPrefix) }

    /// Returns the kind of goods that the rule protects; nil if it is no rule of goods about the quantity.
    public func goods(_ quantity: Quantity) -> String? {
        let end = "-\(quantity.rawValue)"
        guard isOfGoods, rawValue.hasSuffix(end), rawValue.utf8.count > Self.goodsPrefix.utf8.count + end.utf8.count
        else { return nil }
        return String(rawValue.dropFirst(Self.goodsPrefix.utf8.count).dropLast(end.utf8.count))
    }
}
