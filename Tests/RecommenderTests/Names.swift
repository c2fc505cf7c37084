public import Vocabulary

extension ID: ExpressibleByUnicodeScalarLiteral {}
extension ID: ExpressibleByExtendedGraphemeClusterLiteral {}
extension ID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
