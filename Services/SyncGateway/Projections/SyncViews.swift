import EventSourcing
import Events
import JSON
import Vocabulary

/// Projects the clients' market records from events of the ledger and the market.
enum SyncViews {
    static func apply(_ fact: TraceEvent, _ envelope: Envelope, to board: SyncRecordWriter) {
        switch fact {
        case .farmFounded(let event):
            guard let farm = envelope.farm else { return }
            // The farm is recorded here; clients see it once it publishes its page.
            board.put("zones", farm.rawValue, of: hidden) { json in
                json.field("zone", event.zone)
                json.field("title", event.title)
            }
            board.change("farms", farm.rawValue, [("zone", .string(event.zone))])
        case .harvested(let event):
            lot(event.lot, board) { row in
                row.farm = envelope.farm?.rawValue
                row.gtin = event.gtin.digits
                row.product = event.product
                row.harvested = envelope.time
            }
        case .lotSplit(let event):
            guard let parent = board.tables.get(SyncLotRow.self, event.lot.rawValue) else { return }
            lot(event.into, board) { row in
                row.farm = parent.farm
                row.gtin = parent.gtin
                row.product = parent.product
                row.harvested = parent.harvested
                row.recalled = parent.recalled
                row.holds = parent.holds
            }
        case .lotRecalled(let event):
            for name in [event.lot] + event.includes { lot(name, board) { $0.recalled = event.reason } }
        case .lotHeld, .lotReleased, .lotHoldLifted:
            guard let hold = fact.holdChange else { return }
            for name in hold.lots { lot(name, board) { $0.holds.apply(hold) } }
        case .handedOver(let event): lot(event.lot, board) { $0.isGone = true }
        case .plotLaidOut, .storeOpened, .activityRecorded, .activityCorrected, .harvestCorrected, .packed, .stored,
            .labelKeyAdded, .labelKeyRevoked, .labelsPrinted, .passportIssued, .goodsLimitsSet, .storageLimitsChanged,
            .photographTaken, .photographChosen, .photographRemoved:
            break
        }
    }

    static func apply(_ fact: CatalogEvent, _ envelope: Envelope, to board: SyncRecordWriter) {
        switch fact {
        case .farmProfiled(let event):
            guard let farm = envelope.farm?.rawValue else { return }
            let zone = board.members("zones", farm, of: hidden)?.first { $0.0 == "zone" }?.1
            board.put("farms", farm) { json in
                json.field("zone", ifPresent: zone)
                event.write(fields: &json)
            }
        case .productListed(let event): product(event.product, event.details, envelope.farm, board)
        case .productChanged(let event):
            let farm = board.members("products", event.product.rawValue)?.first { $0.0 == "farm" }?.1
            guard case .string(let farm) = farm else { return }
            product(event.product, event.details, FarmID(farm), board)
        case .productWithdrawn(let event): board.remove("products", event.product.rawValue)
        case .offerPublished(let event):
            board.put("offers", event.offer.rawValue, of: hidden) { json in
                json.field("farm", ifPresent: envelope.farm)
                event.write(fields: &json)
            }
            lot(event.lot, board) { row in
                row.isSold = true
                row.offers.append(event.offer.rawValue)
            }
        case .offerRepriced(let event):
            for whose in ["", hidden] {
                board.change("offers", event.offer.rawValue, of: whose, [("price", JSONAny(telling: event.price))])
            }
        case .offerWithdrawn(let event):
            for whose in ["", hidden] { board.remove("offers", event.offer.rawValue, of: whose) }
        case .stockSet(let event): lot(event.lot, board) { $0.isSold = true }
        case .stockLevelChanged(let event):
            lot(event.lot, board) { row in
                row.boxes = event.boxes
                row.held = event.held
                row.ordered = event.ordered
                row.unreserved = event.free
            }
        case .stockAdjusted: break
        case .lotBlocked(let event): lot(event.lot, board) { $0.blocked = event.reason }
        case .pickupOpened(let event):
            board.put("pickups", event.pickup.rawValue) { json in
                json.field("farm", ifPresent: envelope.farm)
                event.write(fields: &json)
            }
        case .pickupClosed(let event): board.remove("pickups", event.pickup.rawValue)
        case .favouriteSet(let event):
            let (kind, name) = parts(of: event.favourite)
            board.put("favourites", "\(kind).\(name)", of: whose(event.person)) { json in
                json.field("kind", kind)
                json.field("name", name)
                json.field("since", envelope.time)
            }
        case .favouriteUnset(let event):
            let (kind, name) = parts(of: event.favourite)
            board.remove("favourites", "\(kind).\(name)", of: whose(event.person))
        case .promotionPublished(let event):
            guard case .object(let rule) = JSONAny(telling: event.rule) else { return }
            board.put("promotions", event.promotion.rawValue) { json in
                json.field("farm", ifPresent: envelope.farm)
                for (name, value) in rule { json.field(name, value) }
            }
        case .promotionEnded(let event): board.remove("promotions", event.promotion.rawValue)
        case .promotionShown: break
        }
    }

    /// Returns the owner under which a person's records are stored.
    static func whose(_ person: PersonID) -> String { "person/\(person)" }

    /// The owner of records that no client gets.
    static let hidden = "-"

    static func lot(_ lot: LotID, _ board: SyncRecordWriter, _ change: (inout SyncLotRow) -> Void) {
        var row = board.tables.get(SyncLotRow.self, lot.rawValue) ?? SyncLotRow(lot.rawValue)
        change(&row)
        board.tables.put(row)
        guard row.isSold else { return }
        // Otherwise every new client would fetch years of sold-out offers.
        for offer in row.offers {
            board.give("offers", offer, from: row.isOver ? "" : hidden, to: row.isOver ? hidden : "")
        }
        guard !row.isOver else { return board.remove("lots", row.key) }
        board.put("lots", row.key) { json in
            json.field("farm", ifPresent: row.farm)
            json.field("gtin", ifPresent: row.gtin)
            json.field("product", ifPresent: row.product)
            json.field("harvested", ifPresent: row.harvested)
            json.field("free", row.free)
            json.field("blocked", ifPresent: row.blocked)
            json.field("recalled", ifPresent: row.recalled)
            json.field("onHold", ifPresent: row.holds.isHeld ? true : nil)
        }
    }

    private static func product(
        _ product: ProductID, _ details: ProductDetails, _ farm: FarmID?, _ board: SyncRecordWriter
    ) {
        guard let farm, case .object(let members) = JSONAny(telling: details) else { return }
        board.put("products", product.rawValue) { json in
            json.field("farm", farm)
            for (name, value) in members { json.field(name, value) }
        }
    }

    private static func parts(of favourite: Favourite) -> (kind: String, name: String) {
        switch favourite {
        case .farm(let farm): ("farm", farm.rawValue)
        case .product(let product): ("product", product.rawValue)
        }
    }
}
