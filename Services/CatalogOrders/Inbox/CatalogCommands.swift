import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// What is asked about products, offers, stock and places.
extension Commands {
    // MARK: Farms

    func profileFarm(_ body: Body) throws(Problem) -> Outcome {
        let farm = try farm(body)
        let picture = try self.picture(body)
        let known = tables.get(FarmRow.self, farm.rawValue)?.profile.title ?? farm.rawValue
        let event = FarmProfiled(
            title: try body.optionalText("title") ?? known, county: try body.optionalText("county"),
            region: try body.optionalText("region"), street: try body.optionalText("street"),
            telephone: try body.optionalText("telephone", limit: 40), website: try website(body),
            description: try body.optionalText("description", limit: Bounds.descriptionBytes),
            latitude: try degrees(body, "latitude", 90), longitude: try degrees(body, "longitude", 180),
            picture: picture, alt: try body.optionalText("alt", limit: Bounds.altBytes),
            hasGoods: try body.find("hasGoods") ?? false)
        return made(event, "farm/\(farm)", farm: farm, status: 200) { $0.field("farm", farm) }
    }

    private func website(_ body: Body) throws(Problem) -> String? {
        guard let address = try body.optionalText("website") else { return nil }
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
            throw Problem(400, "malformed", "website: begin with https:// or http://.")
        }
        return address
    }

    private func degrees(_ body: Body, _ member: String, _ most: Double) throws(Problem) -> Double? {
        guard let value: Double = try body.find(member) else { return nil }
        guard abs(value) <= most else { throw Problem(400, "malformed", "\(member): \(-most) to \(most) degrees.") }
        return value
    }

    private func picture(_ body: Body) throws(Problem) -> String? {
        guard let picture = try body.optionalText("picture", limit: 64) else { return nil }
        guard picture.utf8.count == 64, Hex.decode(picture) != nil else {
            throw Problem(400, "malformed", "picture: the SHA-256 of a picture, 64 letters in hex.")
        }
        return picture.lowercased()
    }

    // MARK: Products

    func listProduct(_ body: Body) throws(Problem) -> Outcome {
        let product = ProductID(try body.name("product"))
        guard tables.get(ProductRow.self, product.rawValue) == nil else {
            throw Problem(409, "known", "There is a product \(product) already.")
        }
        let farm = try farm(body)
        let event = ProductListed(product: product, details: try details(body))
        return made(event, "product/\(product)", farm: farm) { $0.field("product", product) }
    }

    func changeProduct(_ body: Body) throws(Problem) -> Outcome {
        let (product, row) = try product(body)
        let event = ProductChanged(product: product, details: try details(body))
        return made(event, "product/\(product)", farm: row.farm, status: 200) { $0.field("product", product) }
    }

    func withdrawProduct(_ body: Body) throws(Problem) -> Outcome {
        let (product, row) = try product(body)
        let event = ProductWithdrawn(product: product, reason: try optionalReason(body))
        return made(event, "product/\(product)", farm: row.farm) { $0.field("product", product) }
    }

    private func details(_ body: Body) throws(Problem) -> ProductDetails {
        ProductDetails(
            title: try body.text("title"), unit: try body.text("unit", limit: 60),
            category: try body.optionalText("category", limit: 40)?.lowercased(),
            description: try body.optionalText("description", limit: Bounds.descriptionBytes),
            gtin: try body.find("gtin"), picture: try picture(body),
            alt: try body.optionalText("alt", limit: Bounds.altBytes))
    }

    private func product(_ body: Body) throws(Problem) -> (ProductID, ProductRow) {
        let product = ProductID(try body.name("product"))
        guard let row = tables.get(ProductRow.self, product.rawValue) else {
            throw Problem(404, "unknown-product", "There is no product \(product).")
        }
        guard !row.isWithdrawn else {
            throw Problem(409, "withdrawn", "\(row.details.title) is not sold any more.")
        }
        return (product, row)
    }

    // MARK: Offers

    func publishOffer(_ body: Body) throws(Problem) -> Outcome {
        let (product, row) = try product(body)
        let lot = try lot(body)
        guard lot.farm == row.farm else {
            throw Problem(409, "another-farm", "Lot \(lot.key) is of farm \(lot.farm), the product of \(row.farm).")
        }
        let offer = OfferID(try body.has("offer") ? body.name("offer") : name("f"))
        guard tables.get(OfferRow.self, offer.rawValue) == nil else {
            throw Problem(409, "known", "There is an offer \(offer) already.")
        }
        guard tables.offers(of: product.rawValue, onSaleAt: now).count < Bounds.offers else {
            throw Problem(
                409, "too-many-offers", "A product has \(Bounds.offers) offers at a time at most; close one first.")
        }
        let takes: Int = try body.find("takes") ?? 1
        guard (1...Bounds.boxesTaken).contains(takes) else {
            throw Problem(400, "malformed", "takes: 1 to \(Bounds.boxesTaken) boxes a unit.")
        }
        let event = OfferPublished(
            offer: offer, product: product, lot: LotID(lot.key), price: try money(body, "price"), takes: takes,
            pickups: try pickups(body), until: try body.find("until"))
        return made(event, "offer/\(offer)", farm: row.farm) { $0.field("offer", offer) }
    }

    func repriceOffer(_ body: Body) throws(Problem) -> Outcome {
        let (offer, row) = try offer(body)
        let price = try money(body, "price")
        guard price.currency == row.price.currency else {
            throw Problem(409, "another-currency", "This offer is in \(row.price.currency); publish another one.")
        }
        let event = OfferRepriced(offer: offer, price: price)
        return made(event, "offer/\(offer)", farm: row.farm, status: 200) { $0.field("offer", offer) }
    }

    func withdrawOffer(_ body: Body) throws(Problem) -> Outcome {
        let (offer, row) = try offer(body)
        let event = OfferWithdrawn(offer: offer, reason: try optionalReason(body))
        return made(event, "offer/\(offer)", farm: row.farm) { $0.field("offer", offer) }
    }

    private func offer(_ body: Body) throws(Problem) -> (OfferID, OfferRow) {
        let offer = OfferID(try body.name("offer"))
        guard let row = tables.get(OfferRow.self, offer.rawValue) else {
            throw Problem(404, "unknown-offer", "There is no offer \(offer).")
        }
        guard !row.isWithdrawn else { throw Problem(409, "withdrawn", "This offer was withdrawn already.") }
        return (offer, row)
    }

    private func pickups(_ body: Body) throws(Problem) -> [PickupID] {
        let names: [String] = try body.find("pickups") ?? []
        guard names.count <= Bounds.pickups else {
            throw Problem(400, "malformed", "pickups: \(Bounds.pickups) at most; none means everywhere.")
        }
        return try names.map { name throws(Problem) in try pickup(named: name) }
    }

    // MARK: Stock

    func setStock(_ body: Body) throws(Problem) -> Outcome {
        let lot = try lot(body)
        let boxes: Int = try body.get("boxes")
        guard boxes <= lot.packed else {
            throw Problem(409, "more-than-packed", "Only \(lot.packed) boxes of lot \(lot.key) were packed.")
        }
        guard boxes >= 0 else { throw Problem(400, "malformed", "boxes: not less than nothing.") }
        _ = try decide(.count(boxes: boxes), LotID(lot.key))
        let event = StockSet(lot: LotID(lot.key), boxes: boxes, reason: try optionalReason(body))
        return stocked(event, lot, boxes)
    }

    func adjustStock(_ body: Body) throws(Problem) -> Outcome {
        let lot = try lot(body)
        let by: Int = try body.get("by")
        guard by != 0 else { throw Problem(422, "nothing-changed", "by: more or less than nothing.") }
        let before = tables.get(StockRow.self, lot.key)?.state.boxes ?? 0
        _ = try decide(.adjust(by: by), LotID(lot.key))
        guard before + by <= lot.packed else {
            throw Problem(409, "more-than-packed", "Only \(lot.packed) boxes of lot \(lot.key) were packed.")
        }
        let event = StockAdjusted(lot: LotID(lot.key), by: by, reason: try reason(body))
        return stocked(event, lot, before + by)
    }

    private func stocked(_ event: any Event, _ lot: LotRow, _ boxes: Int) -> Outcome {
        made(event, "stock/\(lot.key)", farm: lot.farm, status: 200) { json in
            json.field("lot", lot.key)
            json.field("boxes", boxes)
        }
    }

    private func lot(_ body: Body) throws(Problem) -> LotRow {
        let lot = try body.name("lot")
        guard let row = tables.get(LotRow.self, lot) else {
            throw Problem(404, "unknown-lot", "There is no lot \(lot), or its news is not here yet.")
        }
        if let reason = row.recalled { throw Problem(409, "recalled", "Lot \(lot) was recalled: \(reason)") }
        return row
    }

    /// The movements of a lot's boxes that a command comes to.
    @discardableResult
    func decide(_ command: Stock.Command, _ lot: LotID) throws(Problem) -> [Stock.Movement] {
        let state = tables.get(StockRow.self, lot.rawValue)?.state ?? Stock.initial
        do {
            return try Stock.decide(command, in: state)
        } catch {
            throw error.problem(lot)
        }
    }

    // MARK: Places

    func openPickup(_ body: Body) throws(Problem) -> Outcome {
        let pickup = PickupID(try body.name("pickup"))
        let farm = try body.has("farm") ? farm(body) : nil
        let event = PickupOpened(
            pickup: pickup, title: try body.text("title"), address: try body.optionalText("address"),
            county: try body.optionalText("county"), hours: try body.optionalText("hours"),
            latitude: try degrees(body, "latitude", 90), longitude: try degrees(body, "longitude", 180))
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    func closePickup(_ body: Body) throws(Problem) -> Outcome {
        let pickup = try pickup(named: body.name("pickup"))
        let event = PickupClosed(pickup: pickup, reason: try optionalReason(body))
        let farm = tables.get(PickupRow.self, pickup.rawValue)?.farm
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    func pickup(named name: String) throws(Problem) -> PickupID {
        guard let row = tables.get(PickupRow.self, name) else {
            throw Problem(404, "unknown-pickup", "There is no pick-up point \(name.prefix(40)).")
        }
        guard !row.isClosed else {
            throw Problem(409, "pickup-closed", "Nothing can be picked up at \(row.place.title) any more.")
        }
        return PickupID(name)
    }

    // MARK: Favourites

    func setFavourite(_ body: Body) throws(Problem) -> Outcome {
        let person = try buyer()
        let favourite = try favourite(body)
        let isThere =
            switch favourite {
            case .farm(let farm): tables.get(FarmRow.self, farm.rawValue) != nil
            case .product(let product): tables.get(ProductRow.self, product.rawValue) != nil
            }
        guard isThere else { throw Problem(404, "unknown-favourite", "There is no \(favourite).") }
        let answer = Answer.made { $0.field("favourite", favourite) }
        guard tables.get(FavouriteRow.self, FavouriteRow.key(person, favourite)) == nil else { return ([], answer) }
        let kept = tables.scan(FavouriteRow.self, prefix: "\(person)|", limit: Bounds.favourites)
        guard kept.count < Bounds.favourites else {
            throw Problem(409, "too-many-favourites", "You have \(Bounds.favourites) favourites; take one away first.")
        }
        let event = FavouriteSet(person: person, favourite: favourite)
        return ([draft(event, "person/\(person)", farm: nil)], answer)
    }

    func unsetFavourite(_ body: Body) throws(Problem) -> Outcome {
        let person = try buyer()
        let favourite = try favourite(body)
        let answer = Answer.made { $0.field("favourite", favourite) }
        guard tables.get(FavouriteRow.self, FavouriteRow.key(person, favourite)) != nil else { return ([], answer) }
        let event = FavouriteUnset(person: person, favourite: favourite)
        return ([draft(event, "person/\(person)", farm: nil)], answer)
    }

    private func favourite(_ body: Body) throws(Problem) -> Favourite {
        guard let favourite = Favourite("\(try body.name("kind"))/\(try body.name("name"))") else {
            throw Problem(400, "malformed", "kind: farm or product.")
        }
        return favourite
    }
}

extension Stock.Refusal {
    func problem(_ lot: LotID) -> Problem {
        switch self {
        case .soldOut(let left):
            Problem(409, "sold-out", left == 0 ? "Sold out." : "Only \(left) boxes of lot \(lot) are left.")
        case .promised(let count):
            Problem(409, "promised", "\(count) boxes of lot \(lot) are promised to buyers already.")
        case .tooMany(let most): Problem(409, "too-many-boxes", "A lot has \(most) boxes for sale at most.")
        case .blocked(let reason): Problem(409, "recalled", "Lot \(lot) can't be sold: \(reason)")
        }
    }
}
