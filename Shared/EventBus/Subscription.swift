package import EventSourcing
import JSON
import Wire

/// One followed feed: what was delivered of it, what is asked for, and what may be asked for next. Pure.
///
/// One page is asked for at a time, and no more than the credit (`BusLimits.pagesOutstanding`) are asked for or not yet
/// taken: a reader that stops taking stops being sent to.
package struct Subscription {
    private struct Question {
        let request: UInt64
        var dueAt: Int64
        var pause = BusTiming.pageRetry
    }

    package let feed: String
    private let unpacks: Bool
    private let credit: Int
    /// Whether damage ends the feed, or is reported with the page that has it.
    private let damageReporting: DamageReporting
    /// The connection on which the feed last introduced itself; nil when nobody is there.
    package private(set) var peer: [UInt8]?
    /// The last entry delivered; nil before the first.
    package private(set) var delivered: Checkpoint?
    /// What the other side said last.
    package private(set) var known: Head?
    package private(set) var isStopped = false
    private var question: Question?
    /// The last positions of the pages that were delivered and not taken.
    private var untaken: [Position] = []
    private var heardAt: Int64
    /// The head that was last told as reached.
    private var reached: Head?
    /// What the chain would be at `delivered` if the hash that stands there were the damaged part, not the bytes.
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
        heardAt = now
    }

    package var position: Position { delivered?.position ?? 0 }
    package var untakenPages: Int { untaken.count }

    /// When `ask` has something to say without anything arriving; nil while there is nobody, or nothing to ask.
    package var nextDeadline: Int64? {
        guard peer != nil, !isStopped else { return nil }
        if let question { return question.dueAt }
        return untaken.count < credit ? heardAt + BusTiming.silence : nil
    }

    /// The question that is due now, if any; `request` numbers a new one.
    package mutating func ask(at now: Int64, numbering request: () -> UInt64) -> Message? {
        guard peer != nil, !isStopped else { return nil }
        if var asked = question {
            guard asked.dueAt <= now else { return nil }
            asked.pause = min(asked.pause * 2, BusTiming.pageRetryMax)
            asked.dueAt = now + asked.pause
            question = asked
            return message(asked.request)
        }
        guard untaken.count < credit, wantsMore || heardAt + BusTiming.silence <= now else { return nil }
        let asked = Question(request: request(), dueAt: now + BusTiming.pageRetry)
        question = asked
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

    /// The question could not be sent: on a dialled line it is tried again soon, else whoever introduced the feed has
    /// gone and will do so again.
    package mutating func undelivered(at now: Int64, isDialled: Bool) {
        if isDialled {
            question?.dueAt = now + BusTiming.connecting
        } else {
            peer = nil
            question = nil
        }
    }

    /// The feed introduced itself, perhaps on a new connection.
    package mutating func met(_ peer: [UInt8], _ head: Head, at now: Int64) -> [FeedUpdate] {
        if self.peer != peer { question = nil }
        self.peer = peer
        return heard(head, at: now)
    }

    /// A ring.
    package mutating func heard(_ head: Head, at now: Int64) -> [FeedUpdate] {
        known = head
        heardAt = now
        return newlyReached()
    }

    /// Pages up to `position` are taken in.
    package mutating func taken(through position: Position) {
        untaken.removeAll { $0 <= position }
    }

    /// Whether this is what the outstanding question waits for.
    package func awaits(_ request: UInt64, from peer: [UInt8]) -> Bool {
        question?.request == request && self.peer == peer && !isStopped
    }

    /// A page that was waited for. What it says wrongly of itself is a trouble, and it is asked for again; what it says
    /// wrongly of the journal stops the feed.
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
            question = nil
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
        question = nil
        delivered = Checkpoint(epoch: page.head.epoch, position: last.position, hash: last.hash)
        untaken.append(last.position)
        known = page.head
        heardAt = now
        return [.page(Page(head: page.head, entries: entries))] + newlyReached()
    }

    /// The head is further than any entry that can be read: nothing more of this feed comes.
    private mutating func reportMissingEnd(_ page: PageHeader) -> [FeedUpdate] {
        question = nil
        isStopped = true
        let missing = ChainDamage.missing((position + 1)...page.head.position)
        return [.page(Page(head: page.head, entries: [], damage: [missing]))]
    }

    /// Delivers a page with whatever is wrong with its chain.
    private mutating func report(
        _ page: PageHeader, _ entries: [Entry], _ last: Entry, at now: Int64
    ) throws(BusAnomaly) -> [FeedUpdate] {
        let before = try chain(before: page, entries)
        var check = DamagedChain(after: (before ?? page.start, recomputed), at: position)
        if before == nil { check.beginning() }
        check.add(entries)
        if page.head.position == last.position, page.head.hash != last.hash { check.head(differsAt: last.position) }
        recomputed = check.recomputed
        question = nil
        delivered = Checkpoint(epoch: page.head.epoch, position: last.position, hash: last.hash)
        untaken.append(last.position)
        known = page.head
        heardAt = now
        return [.page(Page(head: page.head, entries: entries, damage: check.damage))] + newlyReached()
    }

    /// Nothing new: the journal ends where the reader stands, perhaps in a new epoch that keeps all of it.
    private mutating func current(_ head: Head, at now: Int64) -> [FeedUpdate] {
        if let delivered {
            guard head.hash == delivered.hash else { return stop(.diverged(delivered.position)) }
            self.delivered = Checkpoint(epoch: head.epoch, position: delivered.position, hash: delivered.hash)
        }
        return heard(head, at: now)
    }

    /// The chain before the first entry of the page; nil if it does not begin as this feed's must.
    ///
    /// Behind position 0 it is what was verified before. There it is told by the page, and it can be checked where the
    /// first entry is the journal's own, because that names the epoch in which the journal was made.
    private func chain(before page: PageHeader, _ entries: [Entry]) throws(BusAnomaly) -> [UInt8]? {
        if let delivered { return delivered.hash }
        guard let start = page.start, let first = entries.first else { throw .unreadableHeader }
        if start == Chain.start(feed: feed, epoch: page.head.epoch) { return start }
        guard let made = Self.maker(of: first), made.origin.description == feed else { return start }
        return start == Chain.start(feed: feed, epoch: made.epoch) ? start : nil
    }

    /// Who wrote an entry, and in which epoch; nil if it is no event of ours.
    private static func maker(of entry: Entry) -> (origin: Origin, epoch: Epoch)? {
        do throws(JSONError) {
            let envelope = try EnvelopeCodec.read(entry.bytes).envelope
            return (envelope.origin, envelope.epoch)
        } catch { return nil }
    }

    /// A refusal that was waited for: one about the journal stops the feed, another makes the question wait.
    package mutating func accept(_ refusal: PageRejection, at now: Int64) throws(BusAnomaly) -> [FeedUpdate] {
        heardAt = now
        switch (refusal.reason, refusal.head) {
        case (.unknownEpoch, let head?): return stop(.unknownEpoch(head))
        case (.beyondHead, let head?): return stop(.beyondHead(head))
        case (.diverged, _): return stop(.diverged(position))
        default: throw .refusedForNow
        }
    }

    private mutating func stop(_ reason: StopReason) -> [FeedUpdate] {
        question = nil
        isStopped = true
        return [.stopped(feed: feed, reason)]
    }

    private mutating func newlyReached() -> [FeedUpdate] {
        guard let known, !wantsMore, known != reached, !isStopped else { return [] }
        reached = known
        return [.reached(feed: feed, known)]
    }
}
