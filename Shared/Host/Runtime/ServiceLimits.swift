/// What a service leaves out because of its own limits, for operators.
public struct ServiceLimits: Sendable, Equatable {
    /// Numbers by name; `products_listed` is the gauge `furrow_products_listed`.
    public let figures: [String: Int]
    /// The effect of a limit that was reached while the service works as intended, in words for operators; nil if none
    /// was.
    public let remark: String?
    /// Why the service's work is incomplete, in words for operators; nil while it is complete.
    public let shortfall: String?

    /// Creates limits; by default none is reached.
    public init(figures: [String: Int] = [:], remark: String? = nil, shortfall: String? = nil) {
        self.figures = figures
        self.remark = remark
        self.shortfall = shortfall
    }
}
