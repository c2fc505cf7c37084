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

    /// Returns the response to a query; nil if the verb is none of a query.
    func answer(_ verb: String, _ body: RequestBody) throws(Problem) -> Response? {
        if let query = LandQueryName(rawValue: verb) { return try LandQueries(tables: tables).answer(query, body) }
        if let query = LotQueryName(rawValue: verb) {
            return try LotQueries(tables: tables, now: now).answer(query, body)
        }
        if let query = InventoryQueryName(rawValue: verb) {
            return try InventoryQueries(tables: tables, zones: zones).answer(query, body)
        }
        return try LedgerQueryName(rawValue: verb).map { (query) throws(Problem) in try answer(query, body) }
    }

    private func answer(_ query: LedgerQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
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
}
