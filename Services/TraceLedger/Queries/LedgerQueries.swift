import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The read-only requests of the ledger, answered from its tables and the archive.
struct LedgerQueries {
    let tables: any Tables
    let archive: any Archive
    let printer: LabelPrinter
    let zones: Zones
    let now: Instant

    func answer(_ query: LedgerQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
        case .farms: try farms(body)
        case .plots: try places("plot/", body)
        case .stores: try places("store/", body)
        case .activities: try activities(body)
        case .photographs: try PhotographQuery(tables: tables).photographs(body)
        case .lots: try lots(body)
        case .lot: try lot(body)
        case .holds: try holds(body)
        case .labels: try labels(body)
        case .readings: try ReadingsQuery(body, in: tables, zones, now: now).response()
        case .growth: try GrowthQuery(body, in: tables, zones, now: now).response()
        case .passportProof: try passportProof(body)
        case .stocktakeProof: try stocktakeProof(body)
        case .ledgerKeys: ledgerKeys()
        case .checkpoint: try checkpoint()
        case .checkpoints: try checkpoints(body)
        case .tile: try tile(body)
        case .entries: try entries(body)
        case .keptReports: try keptReports(body)
        case .goods: .made(200, GoodsQuery(kinds: tables.all(GoodsRow.self, prefix: "").map(\.setting)).write)
        }
    }

    private func farms(_ body: RequestBody) throws(Problem) -> Response {
        let after = try body.optionalText("after")
        let rows = tables.scan(FarmRow.self, prefix: "", after: after, limit: LedgerLimits.pageItems)
        return list(rows, next: rows.count == LedgerLimits.pageItems ? rows.last?.key : nil) { row, json in
            json.field("farm", row.key)
            json.field("title", row.title)
            json.field("zone", row.zone)
            json.field("country", ifPresent: row.country)
        }
    }

    private func places(_ prefix: String, _ body: RequestBody) throws(Problem) -> Response {
        func name(_ row: PlaceRow) -> String { String(row.key.dropFirst(prefix.utf8.count)) }
        let after = try body.optionalText("after").map { prefix + $0 }
        let waiting = BlockedPlaces(tables)
        let rows = tables.scan(PlaceRow.self, prefix: prefix, after: after, limit: LedgerLimits.pageItems)
        return list(rows, next: rows.count == LedgerLimits.pageItems ? rows.last.map(name) : nil) { row, json in
            json.field(String(prefix.dropLast()), name(row))
            json.field("farm", row.farm)
            json.field("title", row.title)
            json.field("crop", ifPresent: row.crop)
            json.field("areaSquareMetres", ifPresent: row.areaSquareMetres)
            json.field("cold", row.cold)
            json.field("waiting", ifPresent: Place(row.key).map(waiting.holds) == true ? true : nil)
            json.field(
                "latest",
                object: { json in
                    for latest in tables.scan(LatestRow.self, prefix: "\(row.key)|", limit: Quantity.allCases.count) {
                        let quantity = Quantity(rawValue: String(latest.key.dropFirst(row.key.utf8.count + 1)))
                        guard let quantity else { continue }
                        json.field(
                            quantity.rawValue,
                            object: { json in
                                json.field("value", latest.value)
                                json.field("unit", quantity.unit)
                                json.field("at", latest.at)
                            })
                    }
                })
        }
    }

    private func activities(_ body: RequestBody) throws(Problem) -> Response {
        let plot = try body.name("plot")
        let after = try body.optionalText("after")
        let rows = tables.all(ActivityRow.self, prefix: "\(plot)|")
            .sorted { ($0.valid.happened, $0.key) > ($1.valid.happened, $1.key) }
        let first = rows.firstIndex { $0.activity.rawValue == after }.map { $0 + 1 } ?? 0
        let page = rows[first...].prefix(LedgerLimits.pageItems)
        let next = page.endIndex < rows.count ? page.last?.activity.rawValue : nil
        return list(Array(page), next: next) { row, json in
            json.field("activity", row.activity)
            json.field("kind", row.record.kind)
            json.field("happened", row.record.happened)
            json.field("recorded", row.record.recorded)
            json.field("details", row.record.details)
            json.field("corrections", row.corrections)
        }
    }

    private func lots(_ body: RequestBody) throws(Problem) -> Response {
        let found = try LotSearch(body, in: tables).page(after: try body.optionalText("after"))
        let lots = found.rows.compactMap { tables.get(LotRow.self, $0.lot) }
        let (waiting, alarmed) = (BlockedPlaces(tables), alarmed(lots))
        return list(lots, next: found.next) { write($0, waiting, alarmed, &$1) }
    }

    /// Returns the lots that were in a store during an alarm there. The alarms of a store are read once for all its
    /// lots.
    private func alarmed(_ lots: [LotRow]) -> Set<String> {
        let stays = lots.flatMap { lot in
            LotHistory(of: lot, from: tables).stays.filter { $0.role == .store }.map { (lot: lot, stay: $0) }
        }
        var alarmed: Set<String> = []
        for (place, stays) in Dictionary(grouping: stays, by: \.stay.place) {
            guard let since = stays.map(\.stay.from).min() else { continue }
            let alarms = LedgerAlarmRow.overlapping(place, from: since, to: .latest, in: tables)
            for (lot, stay) in stays {
                let isAlarmed = alarms.contains { $0.concerns(lot) && $0.overlaps(stay.from, stay.to ?? now) }
                if isAlarmed { alarmed.insert(lot.key) }
            }
        }
        return alarmed
    }

    private func lot(_ body: RequestBody) throws(Problem) -> Response {
        let row = try found(body)
        return .made { json in
            write(row, BlockedPlaces(tables), alarmed([row]), &json)
            json.field(
                "boxList",
                array: { json in
                    let boxes = tables.scan(BoxRow.self, prefix: "\(row.key)|", limit: LedgerLimits.boxes * 5)
                    for box in boxes.sorted(by: { $0.number < $1.number }) {
                        json.object { json in
                            json.field("serial", box.serial)
                            json.field("number", box.number)
                            json.field("grams", box.grams)
                        }
                    }
                })
            json.field(
                "children",
                array: { json in
                    for child in tables.find(LotRow.self, where: "parent", is: row.key, limit: .max) {
                        json.element(child.key)
                    }
                })
            json.field(
                "custody",
                array: { json in
                    for step in tables.scan(CustodyRow.self, prefix: "\(row.key)|", limit: .max) {
                        json.object { json in
                            json.field("what", step.step.rawValue)
                            json.field("at", step.at)
                            json.field("place", ifPresent: step.place?.description)
                            json.field(step.step.hasReason ? "reason" : "to", ifPresent: step.partner)
                            json.field("grams", ifPresent: step.grams)
                            json.field("boxes", ifPresent: step.boxes)
                        }
                    }
                })
        }
    }

    private func write(_ row: LotRow, _ waiting: BlockedPlaces, _ alarmed: Set<String>, _ json: inout JSONWriter) {
        json.field("lot", row.key)
        json.field("gtin", row.state.harvest?.gtin.digits ?? "")
        json.field("product", row.state.harvest?.product ?? "")
        json.field("plot", row.state.harvest?.plot.rawValue ?? "")
        json.field("farm", row.farm)
        json.field("grams", row.state.grams)
        json.field("left", row.state.left)
        json.field("splitOff", row.state.splitOff)
        json.field("packed", row.state.packed)
        json.field("handedOver", row.state.handedOver)
        json.field("harvested", ifPresent: row.state.harvestedAt)
        json.field("parent", ifPresent: row.state.parent)
        json.field("boxes", row.state.boxes)
        json.field("place", ifPresent: row.state.place)
        json.field("handedTo", ifPresent: row.state.handedTo)
        json.field("recalled", ifPresent: row.state.recalled)
        json.field("safety", row.state.safety.rawValue)
        json.field("held", ifPresent: row.state.held)
        json.field("released", ifPresent: row.state.safety == .released ? row.state.holds.last?.released : nil)
        json.field("printed", row.isPrinted)
        json.field("alarm", alarmed.contains(row.key))
        json.field("waiting", ifPresent: waiting.holds(row) ? true : nil)
    }

    /// Returns harvested lots that are held. Lots split off one are held and released with it.
    private func holds(_ body: RequestBody) throws(Problem) -> Response {
        let after = try body.optionalText("after")
        let held = tables.find(LotRow.self, where: "safety", is: Safety.held.rawValue, limit: .max)
            .filter { $0.state.parent == nil && $0.key > (after ?? "") }.sorted { $0.key < $1.key }
        let page = Array(held.prefix(LedgerLimits.pageItems))
        return list(page, next: held.count > page.count ? page.last?.key : nil) { row, json in
            json.field("lot", row.key)
            json.field("product", row.state.harvest?.product ?? "")
            json.field("plot", row.state.harvest?.plot.rawValue ?? "")
            json.field("farm", row.farm)
            json.field("harvested", ifPresent: row.state.harvestedAt)
            json.field("since", ifPresent: row.safetySince)
            json.field("reason", row.state.held ?? "")
            json.field("handedTo", ifPresent: row.state.handedTo)
        }
    }

    /// Returns the labels that were already printed, without recording an event.
    private func labels(_ body: RequestBody) throws(Problem) -> Response {
        let row = try found(body)
        if let reason = row.state.recalled { throw Lot.Refusal.recalled(reason: reason).problem(LotID(row.key)) }
        if let reason = row.state.held { throw Lot.Refusal.held(reason: reason).problem(LotID(row.key)) }
        guard
            LotRules.areLabelsReadable(
                isPrinted: row.isPrinted, held: row.state.held, recalled: row.state.recalled)
        else {
            throw Problem(
                409, "not-printed", "The labels of lot \(row.key) are not printed yet; print them on its page first.")
        }
        return .made(200, try Labels(of: row, boxes: row.labelled, printer, zones, tables).write)
    }

    func found(_ body: RequestBody) throws(Problem) -> LotRow {
        let lot = try body.name("lot")
        guard let row = tables.get(LotRow.self, lot) else {
            throw Problem(404, "unknown-lot", "There is no lot \(lot).")
        }
        return row
    }

    private func list<Row>(_ rows: [Row], next: String?, _ write: (Row, inout JSONWriter) -> Void) -> Response {
        .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows { json.object { json in write(row, &json) } }
                })
            if let next { json.field("next", next) }
        }
    }
}
