import EventSourcing
import Events
import Host
import JSON
import Vocabulary

/// What suggestions are computed from, and how they are written.
struct SuggestionContext {
    let memory: ModelState
    let model: Model?
    let tables: any Tables
    let now: Instant

    /// The position of the hub up to which events were consumed.
    var position: Position { tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position ?? 0 }

    /// Returns a builder of shelves.
    ///
    /// - Parameters:
    ///   - person: the shopper, or nil for an anonymous visitor.
    ///   - most: the maximum number of products on a shelf.
    ///   - cart: the numbers of the products in the cart, which are not suggested.
    ///   - category: the only category to suggest, or nil for all.
    func builder(
        for person: PersonID?, most: Int, without cart: Set<Int> = [], in category: String? = nil
    ) -> ShelfBuilder {
        let shop = memory.shop
        let streams = Set(tables.blockedStreams)
        return ShelfBuilder(
            shoppers: memory.shoppers, names: shop.names, model: model, newest: shop.newest,
            title: { shop.title(of: $0) }, most: most, favourites: favourites(of: person),
            viewed: person.flatMap { tables.get(ViewedRow.self, $0.rawValue) }?.views.compactMap { view in
                shop.products[view.product].map { (product: $0.number, at: view.at) }
            } ?? [],
            supply: { shop.supply(of: $0) }, timely: memory.timely, inSeason: memory.inSeason, now: now,
            isOffered: { number in
                !cart.contains(number) && (category == nil || shop.products[shop.names[number]]?.category == category)
                    && shop.isInStock(number, at: now, holding: streams, seeing: tables)
            })
    }

    /// Returns what the person's favourites lead to.
    private func favourites(of person: PersonID?) -> FavouriteProducts {
        var favourites = FavouriteProducts()
        guard let row = person.flatMap({ tables.get(FavouritesRow.self, $0.rawValue) }) else { return favourites }
        for favourite in row.favourites {
            if case .product(let product) = favourite, let number = memory.shop.products[product]?.number {
                favourites.products.append(number)
            }
        }
        for case .farm(let farm) in row.favourites {
            let newest = memory.shop.newest(of: farm).prefix(RecommenderLimits.productsOfFarm)
            favourites.ofFarms += newest.filter { !favourites.products.contains($0) }
        }
        return favourites
    }

    func write(_ item: Shelf.Item, _ json: inout JSONWriter) {
        json.field("product", item.product)
        json.field("title", memory.shop.title(of: item.product))
        json.field("unit", ifPresent: memory.shop.products[item.product]?.unit)
        item.reason.write(&json)
        json.field("last", ifPresent: item.last)
    }
}
