import EventSourcing
import Events
import Vocabulary

extension StockLevels {
    /// Returns the events of levels that are to be published, at most as many as one decision may have.
    static func unpublished(_ tables: some Tables) -> [Draft] {
        tables.scan(UnpublishedLevelRow.self, limit: EventLimits.decisionEvents).compactMap { one in
            guard let row = tables.get(StockRow.self, one.key) else { return nil }
            let (lot, level) = (LotID(one.key), level(of: row, tables))
            let event = StockLevelChanged(
                lot: lot, boxes: level.boxes, held: level.held, ordered: level.ordered, free: level.free)
            return Draft(
                event, in: "stock/\(lot)", farm: tables.get(MarketLotRow.self, one.key)?.farm,
                by: .service(CatalogOrders.name))
        }
    }
}
