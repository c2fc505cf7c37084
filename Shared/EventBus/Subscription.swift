package import EventSourcing
import JSON
import Wire

/// The subscription of one feed: what was delivered, what is requested, and what may be requested next. Pure.
///
/// Only one page is requested at a time. At most `BusLimits.pagesOutstanding` pages are requested or not yet taken, so
/// a subscriber that stops taking pages receives no more.
package struct Subscription {
    private struct PendingRequest {
        let request: UInt64
        var dueAt: Int64
        var pause = BusTiming.pageRetry
    }

    package let feed: String
    private let unpacks: Bool
    private let credit: Int
    /// Whether damage stops the feed, or is reported with its page.
    private let damageReporting: DamageReporting
    /// The connection on which the feed last announced itself; nil if none is open.
    package private(set) var peer: [UInt8]?
    /// The last entry delivered; nil before the first.
    package private(set) var delivered: Checkpoint?
    /// The head that the server announced last.
    package private(set) var known: Head?
    package private(set) var isStopped = false
    private var pending: PendingRequest?
    /// The last positions of the pages that were delivered but not taken.
    private var untaken: [Position] = []
    private var updatedAt: Int64
    /// The head that was last reported as reached.
    private var reached: Head?
    /// The chain at `delivered` recomputed from the bytes, for the case that only the stored hash was damaged.
    private var recomputed: [UInt8]?

    package init(
        feed: String, after checkpoint: Checkpoint?, unpacks: Bool = false, credit: Int = BusLimits.pagesOutstanding,
        damage damageReporting: DamageReporting = .stops, peer: [UInt8]?, at now: Int64
    ) {
        self.damageReporting = damageReporting
        self.feed = feed
        self.unpacks = unpacks
        self.credit = credit
        self.peer = peer
        delivered = checkpoint.flatMap { $0.position == 0 ? nil : $0 }
        updatedAt = now
    }

    package var position: Position { delivered?.position ?? 0 }
    package var untakenPages: Int { untaken.count }

    /// The time at which `ask` has a message to send even if nothing arrives; nil while disconnected or at the credit
    /// limit.
    package var nextDeadline: Int64? {
        guard peer != nil, !isStopped else { return nil }
        if let pending { return pending.dueAt }
        return untaken.count < credit ? updatedAt + BusTiming.silence : nil
    }

    /// Returns the page request that is due now, if any; `request` numbers a new one.
    package mutating func ask(at now: Int64, numbering request: () -> UInt64) -> Message? {
        guard peer != nil, !isStopped else { return nil }
        if var asked = pending {
            guard asked.dueAt <= now else { return nil }
            asked.pause = min(asked.pause * 2, BusTiming.pageRetryMax)
            asked.dueAt = now + asked.pause
            pending = asked
            return message(asked.request)
        }
        guard untaken.count < credit, wantsMore || updatedAt + BusTiming.silence <= now else { return nil }
        let asked = PendingRequest(request: request(), dueAt: now + BusTiming.pageRetry)
        pending = asked
        return message(asked.request)
    }

    private var wantsMore: Bool {
        guard let known else { return true }
        guard let delivered else { return known.position > 0 }
        return known.position != delivered.position || known.epoch != delivered.epoch || known.hash != delivered.hash
    }

    private func message(_ request: UInt64) -> Message {
        Message(
            .pageAsked, request: request, header: PageRequest(feed: feed, after: delivered, unpacks: unpacks).header)
    }

    /// Records that the request could not be sent. A dialled connection is retried soon; otherwise the server has gone
    /// and will announce itself again.
    package mutating func undelivered(at now: Int64, isDialled: Bool) {
        if isDialled {
            pending?.dueAt = now + BusTiming.connecting
        } else {
            peer = nil
            pending = nil
        }
    }

    /// Records that the feed announced itself, perhaps on a new connection.
    package mutating func announced(_ peer: [UInt8], _ head: Head, at now: Int64) -> [FeedUpdate] {
        if self.peer != peer { pending = nil }
        self.peer = peer
        return updateHead(head, at: now)
    }

    /// Records the head of a notification.
    package mutating func updateHead(_ head: Head, at now: Int64) -> [FeedUpdate] {
        known = head
        updatedAt = now
        return newlyReached()
    }

    /// Records that pages up to `position` were taken.
    package mutating func taken(through position: Position) {
        untaken.removeAll { $0 <= position }
    }

    /// Returns whether the outstanding request waits for this response.
    package func awaits(_ request: UInt64, from peer: [UInt8]) -> Bool {
        pending?.request == request && self.peer == peer && !isStopped
    }

    /// Accepts a requested page. If the page contradicts its own header it throws, and the page is requested again. If
    /// the page contradicts the journal, the feed stops.
    package mutating func accept(_ page: PageHeader, _ entries: [Entry], at now: Int64) throws(BusAnomaly)
        -> [FeedUpdate]
    {
        let next = position + 1
        guard page.first >= next, page.head.position >= page.first + UInt64(entries.count) - 1 else {
            throw .unreadablePayload
        }
        guard let last = entries.last else {
            if damageReporting == .reports, page.head.position > position, page.first == next {
                return reportMissingEnd(page)
            }
            guard page.head.position == position, page.first == next else { throw .unreadablePayload }
            pending = nil
            return current(page.head, at: now)
        }
        if damageReporting == .reports { return try report(page, entries, last, at: now) }
        guard page.first == next else { return stop(.hole(next)) }
        guard let before = try chain(before: page, entries) else { return stop(.diverged(0)) }
        if let position = Chain.firstBreak(in: entries, after: before, at: position) {
            return stop(.diverged(position))
        }
        guard page.head.position > last.position || page.head.hash == last.hash else {
            return stop(.diverged(last.position))
        }
        pending = nil
        delivered = Checkpoint(epoch: page.head.epoch, position: last.position, hash: last.hash)
        untaken.append(last.position)
        known = page.head
        updatedAt = now
        return [.page(Page(head: page.head, entries: entries))] + newlyReached()
    }

    /// Reports that the head is beyond all readable entries, and stops the feed.
    private mutating func reportMissingEnd(_ page: PageHeader) -> [FeedUpdate] {
        pending = nil
        isStopped = true
        let missing = ChainDamage.missing((position + 1)...page.head.position)
        return [.page(Page(head: page.head, entries: [], damage: [missing]))]
    }

    /// Delivers a page with the damage to its chain.
    private mutating func report(
        _ page: PageHeader, _ entries: [Entry], _ last: Entry, at now: Int64
    ) throws(BusAnomaly) -> [FeedUpdate] {
        let before = try chain(before: page, entries)
        var check = DamagedChain(after: (before ?? page.start, recomputed), at: position)
        if before == nil { check.beginning() }
        check.add(entries)
        if page.head.position == last.position, page.head.hash != last.hash { check.head(differsAt: last.position) }
        recomputed = check.recomputed
        pending = nil
        delivered = Checkpoint(epoch: page.head.epoch, position: last.position, hash: last.hash)
        untaken.append(last.position)
        known = page.head
        updatedAt = now
        return [.page(Page(head: page.head, entries: entries, damage: check.damage))] + newlyReached()
    }

    /// Accepts an empty page: the journal ends at the checkpoint, perhaps in a new epoch that continues from it.
    private mutating func current(_ head: Head, at now: Int64) -> [FeedUpdate] {
        if let delivered {
            guard head.hash == delivered.hash else { return stop(.diverged(delivered.position)) }
            self.delivered = Checkpoint(epoch: head.epoch, position: delivered.position, hash: delivered.hash)
        }
        return updateHead(head, at: now)
    }

    /// Returns the chain before the first entry of the page, or nil if the journal does not begin with the hash of this
    /// feed.
    ///
    /// After position 0 it is the verified hash. At position 0 the page provides it. It can be checked if the first
    /// entry is the journal's own, because that names the epoch in which the journal was created.
    private func chain(before page: PageHeader, _ entries: [Entry]) throws(BusAnomaly) -> [UInt8]? {
        if let delivered { return delivered.hash }
        guard let start = page.start, let first = entries.first else { throw .unreadableHeader }
        if start == Chain.start(feed: feed, epoch: page.head.epoch) { return start }
        guard let made = Self.maker(of: first), made.origin.description == feed else { return start }
        return start == Chain.start(feed: feed, epoch: made.epoch) ? start : nil
    }

    /// Returns the origin and epoch of an entry, or nil if it is not an event of Furrow.
    private static func maker(of entry: Entry) -> (origin: Origin, epoch: Epoch)? {
        do throws(JSONError) {
            let envelope = try EnvelopeCodec.read(entry.bytes).envelope
            return (envelope.origin, envelope.epoch)
        } catch { return nil }
    }

    /// Accepts a rejection: one about the journal stops the feed; any other throws, and the request is repeated later.
    package mutating func accept(_ refusal: PageRejection, at now: Int64) throws(BusAnomaly) -> [FeedUpdate] {
        updatedAt = now
        switch (refusal.reason, refusal.head) {
        case (.unknownEpoch, let head?): return stop(.unknownEpoch(head))
        case (.beyondHead, let head?): return stop(.beyondHead(head))
        case (.diverged, _): return stop(.diverged(position))
        default: throw .refusedForNow
        }
    }

    private mutating func stop(_ reason: StopReason) -> [FeedUpdate] {
        pending = nil
        isStopped = true
        return [.stopped(feed: feed, reason)]
    }

    private mutating func newlyReached() -> [FeedUpdate] {
        guard let known, !wantsMore, known != reached, !isStopped else { return [] }
        reached = known
        return [.reached(feed: feed, known)]
    }
}
