extension Money {
    /// Divides the amount by weights so that the parts are whole and add up to it: each gets what is its due rounded
    /// towards zero, and the units left over go one by one to the largest remainders, among equals to the earlier.
    ///
    /// Weights that are all nothing count as equal. Nil where there are no weights, one is negative, or their sum times
    /// the amount is more than a number holds.
    public func shares(by weights: [Int64]) -> [Money]? {
        guard !weights.isEmpty, weights.allSatisfy({ $0 >= 0 }) else { return nil }
        var total: Int64 = 0
        for weight in weights {
            let (sum, overflows) = total.addingReportingOverflow(weight)
            if overflows { return nil }
            total = sum
        }
        let weights = total == 0 ? Array(repeating: 1, count: weights.count) : weights
        if total == 0 { total = Int64(weights.count) }
        guard minor != .min, !minor.magnitude.multipliedReportingOverflow(by: UInt64(total)).overflow else {
            return nil
        }
        let sign: Int64 = minor < 0 ? -1 : 1
        let amount = minor * sign
        guard !amount.multipliedReportingOverflow(by: total).overflow else { return nil }
        var parts = weights.map { amount * $0 / total }
        let remainders = weights.map { amount * $0 % total }
        let order = weights.indices.sorted { left, right in
            remainders[left] == remainders[right] ? left < right : remainders[left] > remainders[right]
        }
        for index in order.prefix(Int(amount - parts.reduce(0, +))) { parts[index] += 1 }
        return parts.map { Money($0 * sign, currency) }
    }

    /// A part in ten thousandths, rounded to the nearest whole unit, halves away from zero; nil on overflow.
    public func basisPoints(_ points: Int64) -> Money? {
        let (product, overflows) = minor.multipliedReportingOverflow(by: points)
        guard !overflows else { return nil }
        let half: Int64 = product < 0 ? -5000 : 5000
        let (raised, overflowsToo) = product.addingReportingOverflow(half)
        return overflowsToo ? nil : Money(raised / 10_000, currency)
    }
}
