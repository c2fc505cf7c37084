import EventSourcing
import JSON
import Vocabulary
import Wire

/// The queries of inventories and stocktakes.
struct InventoryQueries {
    let tables: any Tables
    let zones: Zones

    func inventories(_ body: RequestBody) throws(Problem) -> Response {
        let rows = tables.scan(
            InventoryRow.self, prefix: "", after: try body.optionalText("after"), limit: LedgerLimits.pageItems)
        return page(rows) { row, json in
            json.field("inventory", row.key)
            json.field("title", row.title)
            json.field("place", ifPresent: row.place)
            let boxes = StoredBoxes(of: InventoryID(row.key), in: tables)
            json.field("items", boxes?.count ?? row.items)
            json.field("stocktake", ifPresent: row.open)
            json.field("plan", ifPresent: row.plan)
            json.field("boxes", ifPresent: boxes == nil ? nil : true)
        }
    }

    /// Returns the maps of the farms, each with the places on it.
    func farmMaps(_ body: RequestBody) throws(Problem) -> Response {
        let rows = tables.scan(
            FarmMapRow.self, prefix: "", after: try body.optionalText("after"), limit: LedgerLimits.pageItems)
        return page(rows) { row, json in
            json.field("farm", row.key)
            json.field("plan", row.plan)
            let pins = tables.scan(MapPinRow.self, prefix: "\(row.key)|", limit: .max)
            json.field("pins", pins.map(\.pin))
        }
    }

    /// Returns the items of an inventory that were not removed, by their names.
    func items(_ body: RequestBody) throws(Problem) -> Response {
        let inventory = try body.name("inventory")
        guard tables.get(InventoryRow.self, inventory) != nil else {
            throw Problem(404, "unknown-inventory", "There is no inventory \(inventory).")
        }
        let after = try body.optionalText("after") ?? ""
        let items =
            StoredBoxes(of: InventoryID(inventory), in: tables)?.items
            ?? tables.find(ItemRow.self, where: "inventory", is: inventory, limit: .max)
        let rows = items.filter { $0.removed == nil && $0.key > after }.sorted { $0.key < $1.key }
        return page(Array(rows.prefix(LedgerLimits.pageItems))) { row, json in
            json.field("item", row.key)
            json.field("title", row.title)
            json.field("place", ifPresent: row.place)
            json.field("beacon", ifPresent: row.beacon)
            json.field("code", ifPresent: row.code)
            json.field("value", ifPresent: row.value)
            json.field("picture", ifPresent: row.picture)
            json.field("thumbnail", ifPresent: row.thumbnail)
            json.field("spot", ifPresent: row.spot)
            json.field("changed", row.changed)
        }
    }

    /// Returns the numbers that are proposed for the beacons of items that have none.
    func beaconNumbers(_ body: RequestBody) throws(Problem) -> Response {
        let inventory = try body.name("inventory")
        guard tables.get(InventoryRow.self, inventory) != nil else {
            throw Problem(404, "unknown-inventory", "There is no inventory \(inventory).")
        }
        let after = try body.optionalText("after") ?? ""
        let items = tables.scan(ItemRow.self, prefix: "", limit: .max).filter { $0.removed == nil }
        let keys = tables.scan(LabelKeyRow.self, prefix: "", limit: 1)
        let numbers = BeaconNumbers(items, of: InventoryID(inventory), farm: keys.first?.publicKey ?? "")
        let rows = numbers.proposals.filter { $0.item.key > after }.prefix(LedgerLimits.pageItems)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows {
                        json.object { json in
                            json.field("item", row.item.key)
                            json.field("title", row.item.title)
                            json.field("uuid", numbers.uuid)
                            json.field("major", numbers.major)
                            json.field("minor", row.minor)
                            json.field("beacon", "ibeacon:\(numbers.uuid):\(numbers.major):\(row.minor)")
                        }
                    }
                })
            json.field("next", ifPresent: rows.count == LedgerLimits.pageItems ? rows.last?.item.key : nil)
        }
    }

    /// Returns all stocktakes, or those of one inventory.
    func stocktakes(_ body: RequestBody) throws(Problem) -> Response {
        let after = try body.optionalText("after") ?? ""
        let rows: [StocktakeRow]
        if let inventory = try body.optionalText("inventory") {
            rows = tables.find(StocktakeRow.self, where: "inventory", is: inventory, limit: .max)
                .filter { $0.key > after }.sorted { $0.key < $1.key }
        } else {
            rows = tables.scan(StocktakeRow.self, prefix: "", after: after, limit: LedgerLimits.pageItems)
        }
        return page(Array(rows.prefix(LedgerLimits.pageItems))) { row, json in write(row, to: &json) }
    }

    /// Returns a stocktake with its counts: so far, or as it ended.
    func stocktake(_ body: RequestBody) throws(Problem) -> Response {
        let row = try found(body)
        let tally = row.end == nil ? StocktakeTally(of: row, in: tables) : nil
        let late = tables.all(SightingRow.self, prefix: "\(row.key)|").count(where: \.isLate)
        return .made { json in
            write(row, to: &json)
            json.field("late", late)
            json.field("zone", ifPresent: zones.zoneName(ofInventory: row.inventory.rawValue, tables))
            json.field(
                "places",
                array: { json in
                    for place in tables.scan(PlaceRow.self, prefix: "", limit: .max) {
                        json.object { json in
                            json.field("place", place.key)
                            json.field("title", place.title)
                        }
                    }
                })
            guard let tally else { return }
            json.field("found", tally.found)
            json.field("missing", tally.count(.missing))
            json.field("doubled", tally.count(.doubled))
            json.field("unexpected", tally.count(.unexpected))
            json.field("unresolved", tally.unresolved)
        }
    }

    /// Returns the lines of the report: so far, or as they stay. `after` is the `next` of the page before.
    func lines(_ body: RequestBody) throws(Problem) -> Response {
        let row = try found(body)
        let texts: [String] =
            row.end == nil
            ? StocktakeTally(of: row, in: tables).lines.map(\.text)
            : tables.all(ReportLineRow.self, prefix: "\(row.key)|").map(\.line)
        let after: Int = try body.find("after") ?? 0
        let first = min(max(0, after), texts.count)
        let end = min(first + LedgerLimits.reportLines, texts.count)
        return .made { json in
            json.field("items", Array(texts[first..<end]))
            json.field("next", ifPresent: end < texts.count ? end : nil)
        }
    }

    /// Returns what the stocktakes of an item's inventory have found of it, the newest first.
    func finds(_ body: RequestBody) throws(Problem) -> Response {
        let name = try body.name("item")
        guard let item = tables.get(ItemRow.self, name) else {
            throw Problem(404, "unknown-item", "There is no item \(name).")
        }
        let stocktakes = tables.find(StocktakeRow.self, where: "inventory", is: item.inventory.rawValue, limit: .max)
            .sorted { ($1.started, $1.key) < ($0.started, $0.key) }.prefix(LedgerLimits.pageItems)
        let finds = stocktakes.compactMap { row in line(of: name, in: row).map { (row, $0) } }
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for (row, line) in finds {
                        json.object { json in
                            json.field("stocktake", row.key)
                            json.field("title", row.title)
                            json.field("started", row.started)
                            json.field("finished", ifPresent: row.end?.at)
                            json.field("line", line)
                        }
                    }
                })
        }
    }

    /// The line of an item in a report, as JSON; nil if the item was not in the inventory then.
    private func line(of item: String, in row: StocktakeRow) -> String? {
        let start = "{\"item\":\"\(item)\","
        let lines =
            row.end == nil
            ? StocktakeTally(of: row, in: tables).lines.map(\.text)
            : tables.all(ReportLineRow.self, prefix: "\(row.key)|").map(\.line)
        return lines.first { $0.hasPrefix(start) }
    }

    private func found(_ body: RequestBody) throws(Problem) -> StocktakeRow {
        let stocktake = try body.name("stocktake")
        guard let row = tables.get(StocktakeRow.self, stocktake) else {
            throw Problem(404, "unknown-stocktake", "There is no stocktake \(stocktake).")
        }
        return row
    }

    private func write(_ row: StocktakeRow, to json: inout JSONWriter) {
        json.field("stocktake", row.key)
        json.field("inventory", row.inventory)
        json.field("title", row.title)
        json.field("started", row.started)
        json.field("startedBy", row.startedBy)
        json.field("sightings", row.sightings)
        guard let end = row.end else { return }
        json.field("finished", end.at)
        json.field("finishedBy", end.by)
        json.field("found", end.found)
        json.field("missing", end.missing)
        json.field("unexpected", end.unexpected)
        json.field("digest", end.digest)
    }

    private func page<Row: TableRow>(_ rows: [Row], _ write: (Row, inout JSONWriter) -> Void) -> Response {
        .made { json in
            json.field("items", array: { json in for row in rows { json.object { write(row, &$0) } } })
            json.field("next", ifPresent: rows.count == LedgerLimits.pageItems ? rows.last?.key : nil)
        }
    }
}
