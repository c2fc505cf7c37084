public import Observation

/// The page with all products: searched, filtered, and marked as favourites.
@MainActor
@Observable
public final class CatalogModel: ViewModel {
    public let farm: FarmClient
    public var lastError: FarmClientError?
    /// What the person typed; products whose name, farm or category contains all its words are shown.
    public var search = ""
    /// The category that is shown; nil shows all.
    public var category: String?
    /// Whether only favourites are shown.
    public var showsFavouritesOnly = false
    /// All products in the order of their names.
    public private(set) var products: [ShopProduct] = []

    public init(_ farm: FarmClient) { self.farm = farm }

    public func update() async throws(FarmClientError) { products = try await catalog().products }

    /// The products that are shown: those for sale first.
    public var shown: [ShopProduct] {
        let words = search.lowercased().split(separator: " ")
        let wanted = products.filter { product in
            let text = "\(product.title) \(product.farmTitle) \(product.category ?? "")".lowercased()
            return words.allSatisfy { text.contains($0) } && (category == nil || product.category == category)
                && (!showsFavouritesOnly || product.isFavourite)
        }
        return wanted.filter { $0.best != nil } + wanted.filter { $0.best == nil }
    }

    /// The categories, sorted.
    public var categories: [String] { Set(products.compactMap(\.category)).sorted() }

    /// Adds or removes a favourite; it is shown at once, and sent with the next synchronisation.
    public func mark(_ product: ShopProduct, asFavourite isFavourite: Bool) async {
        do throws(FarmClientError) {
            try farm.like(.products, product.id, isFavourite)
            try await update()
        } catch {
            lastError = error
        }
    }
}
