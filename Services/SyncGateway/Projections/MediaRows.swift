import EventSourcing
import Events
import Vocabulary

/// A file of a photograph, or of the picture of a product, a farm or an item. The key is `<owner>|<SHA-256>`.
struct MediaUseRow: TableRow {
    static let schema = TableSchema("media_use", [("sha256", .text)], indexed: ["sha256"])

    let key: String
    let sha256: String

    init(_ sha256: String, of owner: String) {
        key = "\(owner)|\(sha256)"
        self.sha256 = sha256
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        sha256 = try cells.text()
    }

    var cells: [Cell] { [.text(sha256)] }
}

/// A file whose last photograph was removed, so that it is to be deleted. The key is `<position>|<SHA-256>`.
struct UnusedMediaRow: TableRow {
    static let schema = TableSchema("unused_media", [("sha256", .text)], indexed: ["sha256"])

    let key: String
    let sha256: String

    init(_ sha256: String, after event: UUID, at time: Instant) {
        let number = String(time.microseconds)
        key = String(repeating: "0", count: max(0, 20 - number.count)) + number + "|\(event)|\(sha256)"
        self.sha256 = sha256
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        sha256 = try cells.text()
    }

    var cells: [Cell] { [.text(sha256)] }
}

/// Projects which files are in use, so that those of a removed photograph can be deleted.
///
/// Only a photograph's removal makes a file unused: an order or a story may still show the former picture of a product.
enum MediaViews {
    static func apply(_ fact: TraceEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .photographTaken(let event):
            use([event.picture, event.preview, event.thumbnail], "photograph/\(event.photograph)", tables)
        case .photographRemoved(let event): release("photograph/\(event.photograph)", envelope, tables)
        case .farmFounded, .plotLaidOut, .storeOpened, .activityRecorded, .activityCorrected, .harvested,
            .harvestCorrected, .lotSplit, .packed, .stored, .handedOver, .lotRecalled, .lotHeld, .lotReleased,
            .lotHoldLifted, .labelKeyAdded, .labelKeyRevoked, .labelsPrinted, .passportIssued, .goodsLimitsSet,
            .storageLimitsChanged, .photographChosen:
            break
        }
    }

    static func apply(_ fact: CatalogEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .farmProfiled(let event):
            guard let farm = envelope.farm else { return }
            use([event.picture, event.thumbnail], "farm/\(farm)", tables)
        case .productListed(let event):
            use([event.details.picture, event.details.thumbnail], "product/\(event.product)", tables)
        case .productChanged(let event):
            use([event.details.picture, event.details.thumbnail], "product/\(event.product)", tables)
        case .productWithdrawn, .offerPublished, .offerRepriced, .offerWithdrawn, .stockSet, .stockAdjusted,
            .stockLevelChanged,
            .lotBlocked, .pickupOpened, .pickupClosed, .favouriteSet, .favouriteUnset, .promotionPublished,
            .promotionEnded, .promotionShown:
            break
        }
    }

    static func apply(_ fact: InventoryEvent, to tables: some Tables) {
        switch fact {
        case .inventorySet(let event): use([event.plan], "inventory/\(event.inventory)", tables)
        case .itemSet(let event): use([event.picture, event.thumbnail], "item/\(event.item)", tables)
        case .farmMapSet(let event): use([event.plan], "farm-map/\(event.farm)", tables)
        case .itemRemoved, .stocktakeStarted, .itemsCounted, .differenceResolved, .stocktakeFinished: break
        }
    }

    private static func use(_ files: [String?], _ owner: String, _ tables: some Tables) {
        for file in files.compactMap({ $0 }) {
            tables.put(MediaUseRow(file, of: owner))
            for row in tables.find(UnusedMediaRow.self, where: "sha256", is: file, limit: .max) {
                tables.remove(UnusedMediaRow.self, row.key)
            }
        }
    }

    private static func release(_ owner: String, _ envelope: Envelope, _ tables: some Tables) {
        for row in tables.scan(MediaUseRow.self, prefix: "\(owner)|", limit: .max) {
            tables.remove(MediaUseRow.self, row.key)
            guard tables.find(MediaUseRow.self, where: "sha256", is: row.sha256, limit: 1).isEmpty else { continue }
            tables.put(UnusedMediaRow(row.sha256, after: envelope.id, at: envelope.recorded))
        }
    }
}
