import EventSourcing
import Events
import Vocabulary

/// The projection of the limits that apply to a store because of the goods in it.
enum GoodsViews {
    static func change(_ event: StorageLimitsChanged, _ tables: some Tables) {
        if let before = tables.get(StorageLimitsRow.self, event.store.rawValue)?.published {
            for row in rows(before) { tables.remove(LimitRow.self, row.key) }
        }
        for row in rows(event) { tables.put(row) }
        tables.put(StorageLimitsRow(event))
    }

    private static func rows(_ event: StorageLimitsChanged) -> [LimitRow] {
        event.goods.flatMap { goods in goods.limits.map { LimitRow(.store(event.store), goods, $0) } }
    }
}
