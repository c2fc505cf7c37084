/// What a service leaves out because of limits of its own, for operators.
public struct ServiceLimits: Sendable, Equatable {
    /// Numbers by name; `products_listed` is the gauge `furrow_products_listed`.
    public let figures: [String: Int]
    /// What a limit changes although all is well, in words for operators; nil where none is reached.
    public let remark: String?
    /// Why the service's work is incomplete, in words for operators; nil while it is not.
    public let shortfall: String?

    public init(figures: [String: Int] = [:], remark: String? = nil, shortfall: String? = nil) {
        self.figures = figures
        self.remark = remark
        self.shortfall = shortfall
    }
}
