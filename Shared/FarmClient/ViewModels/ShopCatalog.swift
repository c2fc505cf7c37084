import JSON
public import Vocabulary

/// What the shop sells, joined from the records on the device at one moment.
public struct ShopCatalog: Sendable {
    /// The products in the order of their titles.
    public let products: [ShopProduct]
    /// The pickup places: id and title, in the order of their titles.
    public let pickups: [(id: String, title: String)]

    /// Reads the records of the client.
    ///
    /// - Parameters:
    ///   - farm: the client.
    ///   - time: offers that ended before it are closed.
    /// - Throws: `store`.
    public init(_ farm: FarmClient, at time: Instant) throws(FarmClientError) {
        let farms = Dictionary(uniqueKeysWithValues: try farm.records(.farms).map { ($0.id, $0.text("title") ?? "") })
        let lots = Dictionary(uniqueKeysWithValues: try farm.records(.lots).map { ($0.id, $0) })
        let favourites = try farm.favourites()
        var offers: [String: [ShopOffer]] = [:]
        for record in try farm.records(.offers) {
            guard let product = record.text("product"),
                let offer = ShopOffer(record, of: record.text("lot").flatMap { lots[$0] }, at: time)
            else { continue }
            offers[product, default: []].append(offer)
        }
        products = try farm.records(.products)
            .map { record in
                ShopProduct(
                    record, farmTitle: record.text("farm").flatMap { farms[$0] } ?? "",
                    offers: offers[record.id, default: []], isFavourite: favourites.contains("product.\(record.id)"))
            }
            .sorted { ($0.title, $0.id) < ($1.title, $1.id) }
        pickups = try farm.records(.pickups).map { ($0.id, $0.text("title") ?? $0.id) }
            .sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    }

    /// Returns the product and the offer of this id, or nil if there is none.
    public func offer(_ id: String) -> (product: ShopProduct, offer: ShopOffer)? {
        for product in products {
            if let offer = product.offers.first(where: { $0.id == id }) { return (product, offer) }
        }
        return nil
    }
}

/// A product with its offers.
public struct ShopProduct: Sendable, Equatable, Identifiable {
    /// The product's id, as in the records.
    public let id: String
    /// The product's name.
    public let title: String
    /// The unit in which it is sold: `box of 5 kg`.
    public let unit: String
    /// The category in small letters; nil if there is none.
    public let category: String?
    /// A description for buyers; nil if there is none.
    public let details: String?
    /// The farm's id.
    public let farm: String
    /// The farm's name.
    public let farmTitle: String
    /// The SHA-256 of the picture, and of a small copy, for ``FarmClient/picture(_:)``.
    public let picture: String?
    public let thumbnail: String?
    /// Its offers: open ones by price, then the closed ones.
    public let offers: [ShopOffer]
    /// Whether the person marked it, also if the farm does not know it yet.
    public let isFavourite: Bool

    /// The cheapest open offer; nil if it is not for sale.
    public var best: ShopOffer? { offers.first { $0.closed == nil } }

    init(_ record: FarmRecord, farmTitle: String, offers: [ShopOffer], isFavourite: Bool) {
        id = record.id
        title = record.text("title") ?? record.id
        unit = record.text("unit") ?? ""
        category = record.text("category")
        details = record.text("description")
        farm = record.text("farm") ?? ""
        self.farmTitle = farmTitle
        picture = record.text("picture")
        thumbnail = record.text("thumbnail")
        self.offers = offers.sorted { one, other in
            let (a, b) = (one.closed == nil ? 0 : 1, other.closed == nil ? 0 : 1)
            return (a, one.price.minor, one.id) < (b, other.price.minor, other.id)
        }
        self.isFavourite = isFavourite
    }
}

/// An offer of a product from one lot.
public struct ShopOffer: Sendable, Equatable, Identifiable {
    /// Why an offer cannot be ordered.
    public enum Closed: Sendable, Equatable {
        /// The lot was recalled, for this reason.
        case recalled(String)
        /// The farm holds the lot back for now.
        case held
        case soldOut
        /// Its time is over.
        case over
    }

    /// The offer's id, as in the records.
    public let id: String
    /// The lot.
    public let lot: String
    /// The price of one unit.
    public let price: Money
    /// How many units can be ordered.
    public let left: Int
    /// Why it cannot be ordered; nil if it can.
    public let closed: Closed?
    /// When the lot was harvested; nil if it is not known.
    public let harvested: Instant?

    /// Nil if the record has no price.
    init?(_ record: FarmRecord, of lot: FarmRecord?, at time: Instant) {
        guard let name = record.text("lot"), let price = record.body["price"].flatMap(Money.init(json:)) else {
            return nil
        }
        id = record.id
        self.lot = name
        self.price = price
        harvested = lot?.text("harvested").flatMap { Instant($0) }
        let units = (lot?.number("free") ?? 0) / max(1, record.number("takes") ?? 1)
        if let reason = lot?.text("recalled") ?? lot?.text("blocked") {
            closed = .recalled(reason)
        } else if let until = record.text("until").flatMap({ Instant($0) }), until <= time {
            closed = .over
        } else if lot?.body["onHold"] == .bool(true) {
            closed = .held
        } else {
            closed = units > 0 ? nil : .soldOut
        }
        left = closed == nil ? Int(clamping: units) : 0
    }
}

extension Money {
    /// Reads `{"minor":390,"currency":"EUR"}`; nil for anything else.
    init?(json: JSONAny) {
        guard case .integer(let minor)? = json["minor"], case .string(let code)? = json["currency"],
            let currency = Currency(code)
        else { return nil }
        self.init(minor, currency)
    }
}

extension FarmClient {
    /// Returns the favourites, as `product.<id>` and `farm.<id>`: those of the farm, with the changes made here since.
    func favourites() throws(FarmClientError) -> Set<String> {
        var favourites = Set(try records(.favourites).map(\.id))
        for change in try pendingChanges() where change.refusal == nil {
            switch change.kind {
            case .favourite: favourites.insert(change.record)
            case .favouriteNoMore: favourites.remove(change.record)
            case .order, .cancellation, .showing: break
            }
        }
        return favourites
    }
}
