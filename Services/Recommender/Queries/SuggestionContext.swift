import EventSourcing
import Events
import Host
import Vocabulary

/// What suggestions are computed from.
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

    /// Returns a suggestion with the title and the unit of its product, and the values in its reason.
    func suggestion(_ item: Shelf.Item) -> SuggestionResponse {
        var response = SuggestionResponse(
            product: item.product, title: memory.shop.title(of: item.product),
            unit: memory.shop.products[item.product]?.unit, because: item.reason.word, reason: item.reason.sentence,
            last: item.last)
        switch item.reason {
        case .rhythm(_, let days), .ending(let days), .fresh(let days): response.days = days
        case .bought(let times), .season(.times(let times)): response.times = times
        case .follows(let title), .together(let title): response.of = title
        case .popular(let orders), .place(let orders): response.inOrders = orders
        case .few(let units): response.units = units
        case .new, .favourite, .favouriteFarm, .season(.onlyNow), .viewed: break
        }
        return response
    }
}
