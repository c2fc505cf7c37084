public import EventSourcing
import EventStore
import Events
import JSON
public import Vocabulary
import Wire

/// Parking of events that cannot be applied.
extension ServiceRuntime {
    /// Returns the page up to the first event that would exceed the limit of parked streams. Nothing after it is
    /// consumed until operators have resolved some of them. The origin retains the rest.
    func fittingPart(_ page: Page) -> Page {
        let limit = HostLimits.parkedStreams - (tables.get(FeedCheckpointRow.self, page.head.feed)?.parked ?? 0)
        guard page.entries.count > limit else { return page }
        var intakeFilter = IntakeFilter(page.head.feed, folding)
        for (index, entry) in page.entries.enumerated() {
            _ = intakeFilter.add(entry)
            if intakeFilter.streams > limit { return Page(head: page.head, entries: Array(page.entries[..<index])) }
        }
        return page
    }

    /// Retries a parked event, or skips it permanently if a reason is given. Returns the problem if that is not
    /// possible. `release` then retries the events that waited behind it.
    func resolve(
        _ feed: String, _ position: Position, skippingBecause reason: String?, at now: Instant
    ) throws(LogFailure) -> Problem? {
        guard let row = tables.get(ParkedRow.self, ParkedRow.key(feed, position)) else {
            return Problem(404, "not-parked", "No event of \(feed) at \(position) waits here.")
        }
        if reason == nil, let first = first(of: row), first != position {
            return Problem(
                409, "waits", "It waits for \(first) of the same stream: retry or skip that one, and this one follows.")
        }
        if let reason {
            try record(ParkedResolved.skipped, of: row, reason, by: .service("console"), at: now)
        } else if let unread = try apply(row, by: .service("console"), at: now) {
            return Problem(409, "still-unreadable", "It still cannot be applied: \(unread).")
        }
        mayHaveReleasable = true
        return nil
    }

    /// Retries the events of released streams in order, each with a journal entry of its own. It stops at the first
    /// that still cannot be applied, which is parked again, and after the number of events that one commit may hold.
    public func release(at now: Instant) throws(LogFailure) {
        var left = HostLimits.releasedPerRound
        while mayHaveReleasable, left > 0 {
            let released = BlockedStreamRow.State.released.rawValue
            guard let blocked = tables.find(BlockedStreamRow.self, where: "state", is: released, limit: 1).first else {
                mayHaveReleasable = false
                return
            }
            for row in tables.find(ParkedRow.self, where: "stream", is: blocked.key, limit: left) {
                left -= 1
                if let unread = try apply(row, by: .service(S.name), at: now) {
                    try record(ParkedResolved.parked, of: row, unread, by: .service(S.name), at: now)
                    break
                }
            }
        }
    }

    private func first(of row: ParkedRow) -> Position? {
        row.stream.flatMap { tables.get(BlockedStreamRow.self, $0)?.first }
    }

    /// Applies a parked event. Returns why it cannot be applied, or nil.
    private func apply(_ row: ParkedRow, by actor: Actor, at now: Instant) throws(LogFailure) -> String? {
        let recorded: RecordedEvent
        do throws(JSONError) {
            recorded = try RecordedEvent(reading: row.bytes)
        } catch {
            return "\(error)".short
        }
        try record(ParkedResolved.retried, of: row, nil, by: actor, at: now)
        if case .journal(.journalPruned(let pruned)) = recorded.fact {
            try pruneMirror(pruned, recorded.envelope, of: row.feed)
        }
        if folding.isProjected(recorded) { try take(.heard(feed: row.feed, events: [recorded]), at: now) }
        return nil
    }

    private func record(
        _ outcome: String, of row: ParkedRow, _ reason: String?, by actor: Actor, at now: Instant
    ) throws(LogFailure) {
        let resolved = ParkedResolved(
            feed: row.feed, epoch: row.epoch, position: row.position, outcome: outcome, reason: reason)
        try append([Draft(resolved, in: "intake/\(row.feed)", by: actor)], at: now)
    }
}
