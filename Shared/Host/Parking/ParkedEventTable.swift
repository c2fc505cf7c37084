import EventSourcing
import Vocabulary

/// The three tables of parked events, blocked streams and their counts, which are updated together.
struct ParkedEventTable {
    let tables: any Tables

    func add(_ row: ParkedRow) {
        // The position was already parked in a former epoch of a journal that was restored.
        if let earlier = tables.get(ParkedRow.self, row.key) { remove(earlier) }
        tables.put(row)
        count(row, 1)
        guard let key = row.stream else { return }
        var blocked = tables.get(BlockedStreamRow.self, key) ?? BlockedStreamRow(key: key, first: row)
        if row.behind != nil { blocked.waiting += 1 }
        tables.put(blocked)
    }

    /// Removes a resolved event and releases the events that waited for it.
    func remove(_ row: ParkedRow) {
        tables.remove(ParkedRow.self, row.key)
        count(row, -1)
        settle(row)
    }

    /// Parks an event that waited and cannot be applied itself.
    func park(_ row: ParkedRow, because reason: String) {
        var parked = row
        parked.reason = reason
        parked.behind = nil
        tables.put(parked)
        count(row, -1)
        count(parked, 1)
        settle(row)
    }

    private func settle(_ row: ParkedRow) {
        guard let key = row.stream, let blocked = tables.get(BlockedStreamRow.self, key) else { return }
        guard let first = tables.find(ParkedRow.self, where: "stream", is: key, limit: 1).first else {
            return tables.remove(BlockedStreamRow.self, key)
        }
        var next = BlockedStreamRow(key: key, first: first)
        next.waiting = blocked.waiting - (row.behind == nil ? 0 : 1)
        tables.put(next)
    }

    private func count(_ row: ParkedRow, _ step: Int) {
        guard var checkpoint = tables.get(FeedCheckpointRow.self, row.feed) else { return }
        if row.behind == nil { checkpoint.parked += step } else { checkpoint.waiting += step }
        tables.put(checkpoint)
    }
}
