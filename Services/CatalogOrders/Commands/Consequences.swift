import EventSourcing
import Events
import Vocabulary

/// What the market publishes of its state in the commit that changes it: stock levels and the records of orders.
enum Consequences {
    /// Returns the events that are to be published, at most as many as one decision may have.
    static func unpublished(_ tables: some Tables) -> [Draft] {
        let levels = levels(tables)
        return levels + orders(tables, limit: EventLimits.decisionEvents - levels.count)
    }

    private static func levels(_ tables: some Tables) -> [Draft] {
        tables.scan(UnpublishedLevelRow.self, limit: EventLimits.decisionEvents).compactMap { one in
            guard let row = tables.get(StockRow.self, one.key) else { return nil }
            let (lot, level) = (LotID(one.key), StockLevels.level(of: row, tables))
            let event = StockLevelChanged(
                lot: lot, boxes: level.boxes, held: level.held, ordered: level.ordered, free: level.free)
            return Draft(
                event, in: "stock/\(lot)", farm: tables.get(MarketLotRow.self, one.key)?.farm,
                by: .service(CatalogOrders.name))
        }
    }

    private static func orders(_ tables: some Tables, limit: Int) -> [Draft] {
        tables.scan(UnpublishedOrderRow.self, limit: limit).compactMap { one in
            guard let order = OrderWithPayments(OrderID(one.key), tables), let record = order.record,
                let buyer = order.order.state.placed?.buyer
            else { return nil }
            let event = OrderRecordChanged(buyer: buyer, record: record)
            return EventDrafts.draft(.orderRecordChanged(event), by: .service(CatalogOrders.name))
        }
    }
}
