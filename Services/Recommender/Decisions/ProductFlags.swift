/// A set of product numbers whose membership is one memory access.
struct ProductFlags: Equatable, Sendable {
    private var flags: [Bool]

    init(_ products: some Collection<Int>) {
        flags = Array(repeating: false, count: (products.max() ?? -1) + 1)
        for product in products { flags[product] = true }
    }

    subscript(_ product: Int) -> Bool { product < flags.count && flags[product] }
    var isEmpty: Bool { !flags.contains(true) }
}
