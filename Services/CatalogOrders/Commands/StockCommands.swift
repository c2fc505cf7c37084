import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for the number of boxes of a lot that are for sale.
extension MarketCommands {
    func setStock(_ command: SetStock) throws(Problem) -> Outcome {
        let lot = try lot(command.lot)
        try checkPacked(command.boxes, of: lot)
        _ = try decide(.count(boxes: command.boxes), command.lot)
        let event = StockSet(lot: command.lot, boxes: command.boxes, reason: command.reason)
        return stocked(event, lot, command.boxes)
    }

    func adjustStock(_ command: AdjustStock) throws(Problem) -> Outcome {
        let lot = try lot(command.lot)
        let by = command.by
        guard by != 0 else { throw Problem(422, "nothing-changed", "by: more or less than nothing.") }
        let before = tables.get(StockRow.self, lot.key)?.state.boxes ?? 0
        _ = try decide(.adjust(by: by), command.lot)
        try checkPacked(before + by, of: lot)
        let event = StockAdjusted(lot: command.lot, by: by, reason: command.reason)
        return stocked(event, lot, before + by)
    }

    /// Throws if an increased stock would exceed the boxes that were packed and not yet collected.
    private func checkPacked(_ boxes: Int, of lot: MarketLotRow) throws(Problem) {
        let state = tables.get(StockRow.self, lot.key)?.state ?? Stock.initial
        guard boxes > state.boxes, boxes > lot.packed - state.collected else { return }
        let gone = state.collected == 0 ? "" : ", and \(state.collected) of them were collected"
        // A `packed` event with more boxes may still arrive from the ledger.
        throw Problem(
            409, "more-than-packed", "Only \(lot.packed) boxes of lot \(lot.key) were packed\(gone).",
            .unresolved(reference: "lot/\(lot.key) with \(boxes) boxes"))
    }

    private func stocked(_ event: any Event, _ lot: MarketLotRow, _ boxes: Int) -> Outcome {
        made(event, "stock/\(lot.key)", farm: lot.farm, status: 200) { json in
            json.field("lot", lot.key)
            json.field("boxes", boxes)
        }
    }

    /// Returns the lot. Throws if it is unknown, recalled, or has left the farm.
    func lot(_ lot: LotID) throws(Problem) -> MarketLotRow {
        guard let row = tables.get(MarketLotRow.self, lot.rawValue) else {
            throw Problem(404, "unknown-lot", "There is no lot \(lot).", .unresolved(reference: "lot/\(lot)"))
        }
        if let reason = row.recalled { throw Problem(409, "recalled", "Lot \(lot) was recalled: \(reason)") }
        guard !row.isGone else { throw Problem(409, "handed-over", "Lot \(lot) has left the farm.") }
        return row
    }

    /// Returns the movements of a lot's boxes that a command causes. Throws if the stock rules refuse it.
    private func decide(_ command: Stock.Command, _ lot: LotID) throws(Problem) -> [Stock.Movement] {
        let state = tables.get(StockRow.self, lot.rawValue)?.state ?? Stock.initial
        do {
            return try Stock.decide(command, in: state)
        } catch {
            throw error.problem(lot)
        }
    }
}
