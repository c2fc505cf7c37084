import EventSourcing
import Events
import Vocabulary
import Wire

/// The queries of lots.
struct LotQueries {
    let tables: any Tables
    let now: Instant

    func answer(_ query: LotQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
        case .lots: .made(lots(try LotsQuery(body)))
        case .lot: .made(try lot(LotQuery(body)))
        case .holds: .made(holds(try HoldsQuery(body)))
        }
    }

    private func lots(_ query: LotsQuery) -> ResponsePage<LotResponse> {
        let found = LotSearch(query, in: tables).page(after: query.after)
        let lots = found.rows.compactMap { tables.get(LotRow.self, $0.lot) }
        let (waiting, alarmed) = (BlockedPlaces(tables), alarmed(lots))
        return ResponsePage(lots.map { response($0, waiting, alarmed) }, next: found.next)
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

    private func response(_ row: LotRow, _ waiting: BlockedPlaces, _ alarmed: Set<String>) -> LotResponse {
        let state = row.state
        return LotResponse(
            lot: LotID(row.key), gtin: state.harvest?.gtin.digits ?? "", product: state.harvest?.product ?? "",
            plot: state.harvest?.plot ?? PlotID(""), farm: row.farm, grams: state.grams, left: state.left,
            splitOff: state.splitOff, packed: state.packed, handedOver: state.handedOver, harvested: state.harvestedAt,
            parent: state.parent, boxes: state.boxes, place: state.place, handedTo: state.handedTo,
            recalled: state.recalled, safety: state.safety, held: state.held,
            released: state.safety == .released ? state.holds.last?.released : nil, printed: row.isPrinted,
            alarm: alarmed.contains(row.key), waiting: waiting.holds(row) ? true : nil)
    }

    private func lot(_ query: LotQuery) throws(Problem) -> LotHistoryResponse {
        guard let row = tables.get(LotRow.self, query.lot.rawValue) else {
            throw Problem(404, "unknown-lot", "There is no lot \(query.lot).")
        }
        let boxes = tables.scan(BoxRow.self, prefix: "\(row.key)|", limit: LedgerLimits.boxes * 5)
        let steps = tables.scan(CustodyRow.self, prefix: "\(row.key)|", limit: .max)
        return LotHistoryResponse(
            lot: response(row, BlockedPlaces(tables), alarmed([row])),
            boxList: boxes.sorted { $0.number < $1.number }.map { box in
                BoxResponse(serial: box.serial, number: box.number, grams: box.grams)
            },
            children: tables.find(LotRow.self, where: "parent", is: row.key, limit: .max).map { LotID($0.key) },
            custody: steps.map { row in
                CustodyResponse(
                    what: row.step, at: row.at, place: row.place, to: row.step.hasReason ? nil : row.partner,
                    reason: row.step.hasReason ? row.partner : nil, grams: row.grams, boxes: row.boxes)
            })
    }

    /// Returns harvested lots that are held. Lots split off one are held and released with it.
    private func holds(_ query: HoldsQuery) -> ResponsePage<HoldResponse> {
        let held = tables.find(LotRow.self, where: "safety", is: Safety.held.rawValue, limit: .max)
            .filter { $0.state.parent == nil && $0.key > query.after ?? "" }.sorted { $0.key < $1.key }
        let page = held.prefix(LedgerLimits.pageItems)
        return ResponsePage(
            page.map { row in
                HoldResponse(
                    lot: LotID(row.key), product: row.state.harvest?.product ?? "",
                    plot: row.state.harvest?.plot ?? PlotID(""), farm: row.farm, harvested: row.state.harvestedAt,
                    since: row.safetySince, reason: row.state.held ?? "", handedTo: row.state.handedTo)
            }, next: held.count > page.count ? page.last?.key : nil)
    }
}
