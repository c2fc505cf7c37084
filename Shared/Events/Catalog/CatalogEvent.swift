public import EventSourcing
public import JSON

/// The events of products, offers, stock, pickup places and the farm directory.
public enum CatalogEvent: EventFamily {
    case farmProfiled(FarmProfiled)
    case productListed(ProductListed)
    case productChanged(ProductChanged)
    case productWithdrawn(ProductWithdrawn)
    case offerPublished(OfferPublished)
    case offerRepriced(OfferRepriced)
    case offerWithdrawn(OfferWithdrawn)
    case stockSet(StockSet)
    case stockAdjusted(StockAdjusted)
    case lotBlocked(LotBlocked)
    case pickupOpened(PickupOpened)
    case pickupClosed(PickupClosed)
    case favouriteSet(FavouriteSet)
    case favouriteUnset(FavouriteUnset)

    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case FarmProfiled.name: self = .farmProfiled(try FarmProfiled(json: json))
        case ProductListed.name: self = .productListed(try ProductListed(json: json))
        case ProductChanged.name: self = .productChanged(try ProductChanged(json: json))
        case ProductWithdrawn.name: self = .productWithdrawn(try ProductWithdrawn(json: json))
        case OfferPublished.name: self = .offerPublished(try OfferPublished(json: json))
        case OfferRepriced.name: self = .offerRepriced(try OfferRepriced(json: json))
        case OfferWithdrawn.name: self = .offerWithdrawn(try OfferWithdrawn(json: json))
        case StockSet.name: self = .stockSet(try StockSet(json: json))
        case StockAdjusted.name: self = .stockAdjusted(try StockAdjusted(json: json))
        case LotBlocked.name: self = .lotBlocked(try LotBlocked(json: json))
        case PickupOpened.name: self = .pickupOpened(try PickupOpened(json: json))
        case PickupClosed.name: self = .pickupClosed(try PickupClosed(json: json))
        case FavouriteSet.name: self = .favouriteSet(try FavouriteSet(json: json))
        case FavouriteUnset.name: self = .favouriteUnset(try FavouriteUnset(json: json))
        default: return nil
        }
    }

    public var event: any Event {
        switch self {
        case .farmProfiled(let event): event
        case .productListed(let event): event
        case .productChanged(let event): event
        case .productWithdrawn(let event): event
        case .offerPublished(let event): event
        case .offerRepriced(let event): event
        case .offerWithdrawn(let event): event
        case .stockSet(let event): event
        case .stockAdjusted(let event): event
        case .lotBlocked(let event): event
        case .pickupOpened(let event): event
        case .pickupClosed(let event): event
        case .favouriteSet(let event): event
        case .favouriteUnset(let event): event
        }
    }

    public static let names = [
        FarmProfiled.name, ProductListed.name, ProductChanged.name, ProductWithdrawn.name,
        OfferPublished.name, OfferRepriced.name, OfferWithdrawn.name, StockSet.name,
        StockAdjusted.name, LotBlocked.name, PickupOpened.name, PickupClosed.name,
        FavouriteSet.name, FavouriteUnset.name,
    ]

    public static let types: [any Event.Type] = [
        FarmProfiled.self, ProductListed.self, ProductChanged.self, ProductWithdrawn.self,
        OfferPublished.self, OfferRepriced.self, OfferWithdrawn.self, StockSet.self,
        StockAdjusted.self, LotBlocked.self, PickupOpened.self, PickupClosed.self,
        FavouriteSet.self, FavouriteUnset.self,
    ]
}
