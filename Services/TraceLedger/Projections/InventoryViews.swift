import EventSourcing
import Events
import Vocabulary

/// The projection of inventories and stocktakes.
enum InventoryViews {
    static func apply(_ fact: InventoryEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .inventorySet(let event):
            var row = tables.get(InventoryRow.self, event.inventory.rawValue) ?? InventoryRow(event)
            row.title = event.title
            row.place = event.place
            row.plan = event.plan
            row.isOfBoxes = event.boxes ?? false
            tables.put(row)
        case .itemSet(let event):
            let before = tables.get(ItemRow.self, event.item.rawValue)
            if let before, before.removed == nil { addItems(-1, before.inventory, tables) }
            addItems(1, event.inventory, tables)
            tables.put(ItemRow(event, at: envelope.time))
        case .itemRemoved(let event):
            guard var row = tables.get(ItemRow.self, event.item.rawValue), row.removed == nil else { return }
            row.removed = envelope.time
            tables.put(row)
            addItems(-1, row.inventory, tables)
        case .farmMapSet(let event):
            tables.put(FarmMapRow(event))
            for row in tables.scan(MapPinRow.self, prefix: "\(event.farm)|", limit: .max) {
                tables.remove(MapPinRow.self, row.key)
            }
            for pin in event.pins { tables.put(MapPinRow(pin, of: event.farm)) }
        case .stocktakeStarted(let event):
            tables.put(StocktakeRow(event, at: envelope.time, by: envelope.actor))
            change(event.inventory, tables) { $0.open = event.stocktake }
        case .itemsCounted(let event): count(event, by: envelope.actor, tables)
        case .differenceResolved(let event):
            tables.put(ResolutionRow(event, at: envelope.time, by: envelope.actor))
        case .stocktakeFinished(let event): finish(event, envelope, tables)
        }
    }

    private static func count(_ event: ItemsCounted, by actor: Actor, _ tables: some Tables) {
        guard var stocktake = tables.get(StocktakeRow.self, event.stocktake.rawValue) else { return }
        for sighting in event.sightings {
            let row = SightingRow(
                sighting, of: event.stocktake, by: actor.description, isLate: stocktake.end != nil)
            let known = tables.get(SightingRow.self, row.key)
            if known == nil { stocktake.sightings += 1 }
            tables.put(known?.merged(with: row) ?? row)
        }
        tables.put(stocktake)
    }

    /// Stores the lines of the report as they are: later changes of items and late sightings change none.
    private static func finish(_ event: StocktakeFinished, _ envelope: Envelope, _ tables: some Tables) {
        guard var row = tables.get(StocktakeRow.self, event.stocktake.rawValue) else { return }
        for (number, line) in StocktakeTally(of: row, in: tables).lines.enumerated() {
            tables.put(ReportLineRow(line, number, of: event.stocktake))
        }
        row.end = StocktakeRow.End(
            at: envelope.time, by: envelope.actor.description, found: event.found, missing: event.missing,
            unexpected: event.unexpected, digest: event.digest, event: envelope.id)
        tables.put(row)
        change(row.inventory, tables) { $0.open = nil }
    }

    private static func addItems(_ items: Int, _ inventory: InventoryID, _ tables: some Tables) {
        change(inventory, tables) { $0.items += items }
    }

    private static func change(
        _ inventory: InventoryID, _ tables: some Tables, _ change: (inout InventoryRow) -> Void
    ) {
        guard var row = tables.get(InventoryRow.self, inventory.rawValue) else { return }
        change(&row)
        tables.put(row)
    }
}

extension StocktakeTally {
    /// Reads what a stocktake has found so far.
    init(of row: StocktakeRow, in tables: any Tables) {
        let items =
            StoredBoxes(of: row.inventory, in: tables)?.counted(in: row)
            ?? tables.find(ItemRow.self, where: "inventory", is: row.inventory.rawValue, limit: .max)
        let sightings = tables.all(SightingRow.self, prefix: "\(row.key)|").filter { !$0.isLate }
        let prefix = "\(row.key)|"
        let resolutions = tables.all(ResolutionRow.self, prefix: prefix)
        self.init(
            items, sightings,
            Dictionary(uniqueKeysWithValues: resolutions.map { (String($0.key.dropFirst(prefix.count)), $0) }),
            started: row.started)
    }
}
