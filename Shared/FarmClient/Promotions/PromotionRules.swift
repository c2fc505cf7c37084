import Events
import Glibc
import Vocabulary

/// Which promotions apply on this device. The farm's pages decide the same (`promotion-rules.js`). Pure.
struct PromotionRules {
    /// A promotion as the farm published it.
    struct Published {
        let id: String
        let farm: String
        let rule: PromotionRule
    }

    let catalog: ShopCatalog
    let circumstances: PromotionCircumstances
    /// The person, or a name of this device if there is no account.
    let person: String
    /// The favourites: `farm.loma`, `product.honey`.
    let favourites: Set<String>
    /// The opening times of the pickup places.
    let opens: [String: [OpeningTime]]
    let zone: (_ farm: String) -> Zone
    let showings: PromotionShowings

    /// Returns the promotions that apply, the most important first.
    func applying(_ published: [Published]) -> [ShopPromotion] {
        published.compactMap(promotion)
            .sorted { ($1.priority, $0.until, $0.id) < ($0.priority, $1.until, $1.id) }
    }

    private func promotion(_ one: Published) -> ShopPromotion? {
        let (rule, zone) = (one.rule, zone(one.farm))
        let products = products(of: rule)
        let times = rule.beforeClosing.map { opens[$0.pickup.rawValue] ?? [] } ?? []
        guard !products.isEmpty, rule.isShown(at: circumstances.now, in: zone, opens: times),
            isFor(rule, of: one.farm, products), isHere(rule),
            showings.allows(one.id, rule.timesPerDay, at: circumstances.now, in: zone)
        else { return nil }
        return ShopPromotion(
            id: one.id, title: rule.title, text: rule.text, farm: one.farm, products: products, until: rule.until,
            priority: rule.priority,
            isHeldBack: PromotionShare.of(person, PromotionID(one.id)) < rule.heldBackPercent)
    }

    /// The products that it is about and that can be bought now: a lot that is held, recalled or sold out has none.
    private func products(of rule: PromotionRule) -> [ShopProduct] {
        catalog.products.filter { product in
            (rule.product.map { $0.rawValue == product.id } ?? (product.category == rule.category))
                && product.offers.contains { offer in
                    offer.closed == nil && (rule.lot.map { $0.rawValue == offer.lot } ?? true)
                }
        }
    }

    private func isFor(_ rule: PromotionRule, of farm: String, _ products: [ShopProduct]) -> Bool {
        switch rule.audience {
        case .everyone: return true
        case .favourites:
            let names = rule.product.map { [$0.rawValue] } ?? products.map(\.id)
            return favourites.contains("farm.\(farm)") || names.contains { favourites.contains("product.\($0)") }
        case .interested: return products.contains { $0.category.map(circumstances.kinds.contains) ?? false }
        }
    }

    private func isHere(_ rule: PromotionRule) -> Bool {
        if let county = rule.county, county.lowercased() != circumstances.county?.lowercased() { return false }
        if let beacons = rule.beacons, !circumstances.regions.contains(beacons) { return false }
        if let node = rule.node, node != circumstances.node?.lowercased() { return false }
        guard let area = rule.area else { return true }
        let centre = PromotionCircumstances.Position(latitude: area.latitude, longitude: area.longitude)
        return circumstances.position.map { $0.metres(to: centre) <= Double(area.metres) } ?? false
    }
}

extension PromotionCircumstances.Position {
    private static let earthRadius = 6_371_008.8

    /// Returns the metres between two places on a sphere (haversine).
    func metres(to other: Self) -> Double {
        let degree = Double.pi / 180
        let height = sin((other.latitude - latitude) * degree / 2)
        let width = sin((other.longitude - longitude) * degree / 2)
        let square = height * height + cos(latitude * degree) * cos(other.latitude * degree) * width * width
        return 2 * Self.earthRadius * asin(min(1, square.squareRoot()))
    }
}
