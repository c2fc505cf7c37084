import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Commands on inventories and stocktakes.
struct InventoryCommands {
    let tables: any Tables
    let ask: Request
    let now: Instant

    typealias Outcome = LedgerCommands.Outcome

    /// Handles `set-inventory`. Throws a 409 for one more than the limit.
    func setInventory(_ command: SetInventory) throws(Problem) -> Outcome {
        let inventory = command.inventory
        let known = tables.get(InventoryRow.self, inventory.rawValue)
        if known == nil,
            tables.scan(InventoryRow.self, limit: LedgerLimits.inventories).count == LedgerLimits.inventories
        {
            throw Problem(409, "too-many", "There are \(LedgerLimits.inventories) inventories already.")
        }
        try checkKnown(command.place)
        let isOfBoxes = command.boxes
        if isOfBoxes, command.place == nil {
            throw Problem(422, "no-place", "place: name the place whose boxes are counted.")
        }
        if let known, known.isOfBoxes != isOfBoxes, known.items > 0 || known.open != nil {
            throw Problem(409, "in-use", "\(known.title) has items or is being counted: it stays what it is.")
        }
        let event = InventorySet(
            inventory: inventory, title: command.title, place: command.place, plan: command.plan,
            boxes: isOfBoxes ? true : nil)
        return done(event, "inventory/\(inventory)") { $0.field("inventory", inventory) }
    }

    /// Handles `set-item`. Throws a 409 if another item has the beacon or the code, because a sighting of it would be
    /// one of two items.
    func setItem(_ command: SetItem) throws(Problem) -> Outcome {
        let item = command.item
        let inventory = try row(of: command.inventory)
        guard !inventory.isOfBoxes else {
            throw Problem(409, "of-boxes", "\(inventory.title) consists of the boxes that are stored there.")
        }
        let known = tables.get(ItemRow.self, item.rawValue)
        let isCounted = known.map { $0.removed == nil && $0.inventory.rawValue == inventory.key } ?? false
        guard isCounted || inventory.items < LedgerLimits.items else {
            throw Problem(409, "too-many", "\(inventory.title) has \(LedgerLimits.items) items already.")
        }
        try checkUnique("beacon", command.beacon, item)
        try checkUnique("code", command.code, item)
        try checkKnown(command.place)
        let event = ItemSet(
            item: item, inventory: command.inventory, title: command.title, place: command.place,
            beacon: command.beacon, code: command.code, value: command.value, picture: command.picture,
            thumbnail: command.thumbnail, spot: command.spot)
        return done(event, "item/\(item)") { $0.field("item", item) }
    }

    func removeItem(_ command: RemoveItem) throws(Problem) -> Outcome {
        let item = command.item
        guard let row = tables.get(ItemRow.self, item.rawValue) else {
            throw Problem(404, "unknown-item", "There is no item \(item).")
        }
        guard row.removed == nil else {
            throw Problem(409, "removed", "\(row.title) was removed already.")
        }
        let event = ItemRemoved(item: item, reason: command.reason)
        return done(event, "item/\(item)") { $0.field("item", item) }
    }

    /// Handles `start-stocktake`. Throws a 409 with the open one if the inventory has one: everybody counts in it.
    func startStocktake(_ command: StartStocktake) throws(Problem) -> Outcome {
        let stocktake = command.stocktake
        let inventory = try row(of: command.inventory)
        guard tables.get(StocktakeRow.self, stocktake.rawValue) == nil else {
            throw Problem(409, "known", "There is a stocktake \(stocktake) already.")
        }
        if let open = inventory.open {
            throw Problem(409, "open-already", "\(inventory.title) is being counted: stocktake \(open) is open.")
        }
        let event = StocktakeStarted(
            stocktake: stocktake, inventory: command.inventory, title: command.title)
        return done(event, "stocktake/\(stocktake)", status: 201) { $0.field("stocktake", stocktake) }
    }

    /// Handles `count-items`. Sightings of a finished stocktake are recorded, too; they change no report.
    func countItems(_ command: CountItems) throws(Problem) -> Outcome {
        let row = try row(of: command.stocktake)
        let sightings = command.sightings
        guard row.sightings + sightings.count <= LedgerLimits.sightingsOfStocktake else {
            throw Problem(
                409, "too-many", "A stocktake has at most \(LedgerLimits.sightingsOfStocktake) sightings.")
        }
        for (index, sighting) in sightings.enumerated() {
            try check(sighting, index)
        }
        let event = ItemsCounted(stocktake: command.stocktake, sightings: sightings)
        return done(event, "stocktake/\(row.key)") { json in
            json.field("stocktake", row.key)
            json.field("recorded", sightings.count)
            json.field("isLate", row.end != nil)
        }
    }

    /// Handles `resolve-difference`.
    func resolveDifference(_ command: ResolveDifference) throws(Problem) -> Outcome {
        let row = try openRow(of: command.stocktake)
        let (thing, resolution) = (command.thing, command.resolution)
        guard let line = StocktakeTally(of: row, in: tables).lines.first(where: { $0.thing == thing }) else {
            throw Problem(404, "unknown-thing", "Nothing in this stocktake is \(thing).")
        }
        guard (line.state == .unexpected) == (resolution == .ignored) else {
            throw Problem(
                422, "wrong-resolution",
                line.state == .unexpected
                    ? "as: what does not belong to the inventory can only be ignored, or added to it."
                    : "as: an item is present or missing.")
        }
        let event = DifferenceResolved(
            stocktake: command.stocktake, thing: thing, resolution: resolution, reason: command.reason)
        return done(event, "stocktake/\(row.key)") { $0.field("thing", thing) }
    }

    /// Handles `finish-stocktake`. Throws a 409 while differences are open, unless `accept` is true.
    func finishStocktake(_ command: FinishStocktake) throws(Problem) -> Outcome {
        let row = try openRow(of: command.stocktake)
        let tally = StocktakeTally(of: row, in: tables)
        guard tally.unresolved == 0 || command.accept else {
            throw Problem(
                409, "unresolved",
                "\(tally.unresolved) differences are open: resolve them, or finish with accept: true.")
        }
        let event = StocktakeFinished(
            stocktake: command.stocktake, found: tally.found, missing: tally.count(.missing),
            unexpected: tally.count(.unexpected), digest: tally.digest)
        return done(event, "stocktake/\(row.key)") { json in
            json.field("stocktake", row.key)
            json.field("found", event.found)
            json.field("missing", event.missing)
            json.field("unexpected", event.unexpected)
            json.field("digest", event.digest)
        }
    }
}

extension InventoryCommands {
    private func done(
        _ event: any Event, _ stream: String, status: Int = 200, _ write: (inout JSONWriter) -> Void
    ) -> Outcome {
        ([Draft(event, in: stream, by: ask.actor)], .made(status, write))
    }

    private func row(of inventory: InventoryID) throws(Problem) -> InventoryRow {
        guard let row = tables.get(InventoryRow.self, inventory.rawValue) else {
            throw Problem(404, "unknown-inventory", "There is no inventory \(inventory).")
        }
        return row
    }

    private func row(of stocktake: StocktakeID) throws(Problem) -> StocktakeRow {
        guard let row = tables.get(StocktakeRow.self, stocktake.rawValue) else {
            throw Problem(404, "unknown-stocktake", "There is no stocktake \(stocktake).")
        }
        return row
    }

    private func openRow(of stocktake: StocktakeID) throws(Problem) -> StocktakeRow {
        let row = try row(of: stocktake)
        guard let end = row.end else { return row }
        throw Problem(409, "finished", "This stocktake was finished at \(end.at); its report stays as it is.")
    }

    /// Throws a 404 if a place is named that does not exist.
    private func checkKnown(_ place: Place?) throws(Problem) {
        guard let place, tables.get(PlaceRow.self, place.description) == nil else { return }
        throw Problem(404, "unknown-place", "There is no \(place).")
    }

    private func checkUnique(_ column: String, _ value: String?, _ item: ItemID) throws(Problem) {
        guard let value else { return }
        let rows = tables.find(ItemRow.self, where: column, is: value, limit: LedgerLimits.items)
        guard let other = rows.first(where: { $0.removed == nil && $0.key != item.rawValue }) else { return }
        throw Problem(409, "taken", "\(column): \(value) is on \(other.title) already.")
    }

    private func check(_ sighting: Sighting, _ index: Int) throws(Problem) {
        let thing = sighting.thing
        let kinds = ["item/", "beacon/", "code/"]
        guard thing.utf8.count <= LedgerLimits.thingBytes,
            (sighting.device ?? "").utf8.count <= LedgerLimits.thingBytes,
            kinds.contains(where: { thing.hasPrefix($0) && thing.utf8.count > $0.utf8.count })
        else {
            throw Problem(
                422, "malformed-sighting",
                "sightings[\(index)].thing: write item/…, beacon/… or code/…, "
                    + "\(LedgerLimits.thingBytes) bytes at most.")
        }
        // A device that was never set has some other year.
        guard abs(sighting.at.seconds(since: now)) <= LedgerLimits.sightingSeconds else {
            throw Problem(
                422, "wrong-clock",
                "sightings[\(index)].at: \(sighting.at) is too far from \(now); set the clock of the device.")
        }
    }
}
