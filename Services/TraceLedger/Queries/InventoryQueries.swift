import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The queries of inventories, stocktakes and maps.
struct InventoryQueries {
    let tables: any Tables
    let zones: Zones

    func answer(_ query: InventoryQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
        case .inventories: .made(inventories(try InventoriesQuery(body)))
        case .farmMaps: .made(farmMaps(try FarmMapsQuery(body)))
        case .items: .made(try items(ItemsQuery(body)))
        case .beaconNumbers: .made(try beaconNumbers(BeaconNumbersQuery(body)))
        case .finds: .made(try finds(FindsQuery(body)))
        case .stocktakes: .made(stocktakes(try StocktakesQuery(body)))
        case .stocktake: .made(try stocktake(StocktakeQuery(body)))
        case .stocktakeLines: .made(try lines(StocktakeLinesQuery(body)))
        }
    }

    // MARK: Inventories

    private func inventories(_ query: InventoriesQuery) -> ResponsePage<InventoryResponse> {
        let rows = tables.scan(InventoryRow.self, prefix: "", after: query.after, limit: LedgerLimits.pageItems)
        return ResponsePage(rows) { row in
            let boxes = StoredBoxes(of: InventoryID(row.key), in: tables)
            return InventoryResponse(
                inventory: InventoryID(row.key), title: row.title, place: row.place, items: boxes?.count ?? row.items,
                stocktake: row.open, plan: row.plan, boxes: boxes == nil ? nil : true)
        }
    }

    /// Returns the maps of the farms, each with the places on it.
    private func farmMaps(_ query: FarmMapsQuery) -> ResponsePage<FarmMapResponse> {
        let rows = tables.scan(FarmMapRow.self, prefix: "", after: query.after, limit: LedgerLimits.pageItems)
        return ResponsePage(rows) { row in
            let pins = tables.scan(MapPinRow.self, prefix: "\(row.key)|", limit: .max)
            return FarmMapResponse(farm: FarmID(row.key), plan: row.plan, pins: pins.map(\.pin))
        }
    }

    /// Returns the items of an inventory that were not removed, by their names.
    private func items(_ query: ItemsQuery) throws(Problem) -> ResponsePage<ItemResponse> {
        try requireInventory(query.inventory)
        let items =
            StoredBoxes(of: query.inventory, in: tables)?.items
            ?? tables.find(ItemRow.self, where: "inventory", is: query.inventory.rawValue, limit: .max)
        let rows = items.filter { $0.removed == nil && $0.key > query.after ?? "" }.sorted { $0.key < $1.key }
        return ResponsePage(Array(rows.prefix(LedgerLimits.pageItems))) { row in
            ItemResponse(
                item: row.key, title: row.title, place: row.place, beacon: row.beacon, code: row.code, value: row.value,
                picture: row.picture, thumbnail: row.thumbnail, spot: row.spot, changed: row.changed)
        }
    }

    /// Returns the numbers that are proposed for the beacons of items that have none.
    private func beaconNumbers(_ query: BeaconNumbersQuery) throws(Problem) -> ResponsePage<BeaconNumbersResponse> {
        try requireInventory(query.inventory)
        let items = tables.scan(ItemRow.self, prefix: "", limit: .max).filter { $0.removed == nil }
        let keys = tables.scan(LabelKeyRow.self, prefix: "", limit: 1)
        let numbers = BeaconNumbers(items, of: query.inventory, farm: keys.first?.publicKey ?? "")
        let rows = numbers.proposals.filter { $0.item.key > query.after ?? "" }.prefix(LedgerLimits.pageItems)
        return ResponsePage(
            rows.map { row in
                BeaconNumbersResponse(
                    item: ItemID(row.item.key), title: row.item.title, uuid: "\(numbers.uuid)", major: numbers.major,
                    minor: row.minor, beacon: "ibeacon:\(numbers.uuid):\(numbers.major):\(row.minor)")
            }, next: rows.count == LedgerLimits.pageItems ? rows.last?.item.key : nil)
    }

    private func requireInventory(_ inventory: InventoryID) throws(Problem) {
        guard tables.get(InventoryRow.self, inventory.rawValue) != nil else {
            throw Problem(404, "unknown-inventory", "There is no inventory \(inventory).")
        }
    }

    // MARK: Stocktakes

    /// Returns all stocktakes, or those of one inventory.
    private func stocktakes(_ query: StocktakesQuery) -> ResponsePage<StocktakeResponse> {
        let rows: [StocktakeRow]
        if let inventory = query.inventory {
            rows = tables.find(StocktakeRow.self, where: "inventory", is: inventory.rawValue, limit: .max)
                .filter { $0.key > query.after ?? "" }.sorted { $0.key < $1.key }
        } else {
            rows = tables.scan(StocktakeRow.self, prefix: "", after: query.after, limit: LedgerLimits.pageItems)
        }
        return ResponsePage(Array(rows.prefix(LedgerLimits.pageItems)), response)
    }

    private func response(_ row: StocktakeRow) -> StocktakeResponse {
        StocktakeResponse(
            stocktake: StocktakeID(row.key), inventory: row.inventory, title: row.title, started: row.started,
            startedBy: row.startedBy, sightings: row.sightings, finished: row.end?.at, finishedBy: row.end?.by,
            found: row.end?.found, missing: row.end?.missing, unexpected: row.end?.unexpected, digest: row.end?.digest)
    }

    /// Returns a stocktake with its counts: so far, or as it ended.
    private func stocktake(_ query: StocktakeQuery) throws(Problem) -> StocktakeCounts {
        let row = try found(query.stocktake)
        let late = tables.all(SightingRow.self, prefix: "\(row.key)|").count(where: \.isLate)
        let places = tables.scan(PlaceRow.self, prefix: "", limit: .max)
        var counts = StocktakeCounts(
            stocktake: response(row), late: late, zone: zones.zoneName(ofInventory: row.inventory.rawValue, tables),
            places: places.map { PlaceTitle(place: $0.key, title: $0.title) })
        guard row.end == nil else { return counts }
        let tally = StocktakeTally(of: row, in: tables)
        counts.stocktake.found = tally.found
        counts.stocktake.missing = tally.count(.missing)
        counts.stocktake.unexpected = tally.count(.unexpected)
        counts.doubled = tally.count(.doubled)
        counts.unresolved = tally.unresolved
        return counts
    }

    /// Returns the lines of the report: so far, or as they stay.
    private func lines(_ query: StocktakeLinesQuery) throws(Problem) -> StocktakeLinesResponse {
        let texts = lines(of: try found(query.stocktake))
        let first = min(query.after ?? 0, texts.count)
        let end = min(first + LedgerLimits.reportLines, texts.count)
        return StocktakeLinesResponse(items: Array(texts[first..<end]), next: end < texts.count ? end : nil)
    }

    private func lines(of row: StocktakeRow) -> [String] {
        row.end == nil
            ? StocktakeTally(of: row, in: tables).lines.map(\.text)
            : tables.all(ReportLineRow.self, prefix: "\(row.key)|").map(\.line)
    }

    /// Returns what the stocktakes of an item's inventory have found of it, the newest first.
    private func finds(_ query: FindsQuery) throws(Problem) -> ResponsePage<FindResponse> {
        guard let item = tables.get(ItemRow.self, query.item.rawValue) else {
            throw Problem(404, "unknown-item", "There is no item \(query.item).")
        }
        let stocktakes = tables.find(StocktakeRow.self, where: "inventory", is: item.inventory.rawValue, limit: .max)
            .sorted { ($1.started, $1.key) < ($0.started, $0.key) }.prefix(LedgerLimits.pageItems)
        let beginning = "{\"item\":\"\(query.item)\","
        return ResponsePage(
            stocktakes.compactMap { row in
                // An item that was not in the inventory then has no line.
                lines(of: row).first { $0.hasPrefix(beginning) }.map { line in
                    FindResponse(
                        stocktake: StocktakeID(row.key), title: row.title, started: row.started, finished: row.end?.at,
                        line: line)
                }
            })
    }

    private func found(_ stocktake: StocktakeID) throws(Problem) -> StocktakeRow {
        guard let row = tables.get(StocktakeRow.self, stocktake.rawValue) else {
            throw Problem(404, "unknown-stocktake", "There is no stocktake \(stocktake).")
        }
        return row
    }
}
