import EventBus
import EventSourcing
import System

/// An iterator over the entries of one journal.
protocol Walk: AnyObject {
    /// Returns the next entry; nil at the end.
    func next() throws -> Entry?
}

/// Reads a feed from its service over the bus, page by page, and verifies the chain.
///
/// It only moves forward and stores nothing of what it has passed. `FeedSubscriber.damage` decides what happens where
/// the chain is broken: the iteration ends, or it continues and lists the damage.
final class JournalIterator: Walk {
    private let feed: String
    private let follower: FeedSubscriber
    /// The position at which it ends; if nil, the head of the feed when its first page arrives.
    private var goal: Position?
    /// The rest of the current page, and the received pages after it; the bus limits how many can be in transit.
    private var page: ArraySlice<Entry> = []
    private var pages: [Page] = []
    /// The time since which everything up to the head of the feed has been delivered.
    private var reachedAt: Int64?
    /// The places where the chain is broken.
    private(set) var damage = Findings()
    /// The first entries that do not follow from their predecessor.
    private(set) var broken: Set<Position> = []
    /// Replacement bytes by position; empty bytes make an entry look pruned.
    var replacing: [Position: [UInt8]] = [:]
    private let what: String?
    private var progress: Progress?
    private var stop: StopReason?
    /// The current epoch of the feed, and the position of the last entry that was returned.
    private(set) var epoch: Epoch?
    private(set) var position: Position

    /// The time in microseconds without a page after which a service is considered unreachable.
    private static let patience: Int64 = 15_000_000
    /// The time in microseconds to wait for an entry that another journal already names.
    private static let catchUp: Int64 = 3_000_000

    init(
        _ feed: String, _ follower: FeedSubscriber, after checkpoint: Checkpoint?, through last: Position?,
        telling what: String?
    ) throws {
        self.feed = feed
        self.what = what
        self.follower = follower
        goal = last
        position = checkpoint?.position ?? 0
        epoch = checkpoint?.epoch
        try follower.follow(feed, after: checkpoint)
    }

    /// Why it ended early, once all received pages are read; the reason names the place where the chain breaks.
    var stopped: StopReason? { page.isEmpty && pages.isEmpty ? stop : nil }

    func next() throws -> Entry? {
        guard try hasMore(), let goal, let next = page.first, next.position <= goal, let entry = page.popFirst() else {
            return nil
        }
        position = entry.position
        return replaced(entry)
    }

    private func replaced(_ entry: Entry) -> Entry {
        guard let bytes = replacing[entry.position] else { return entry }
        return Entry(position: entry.position, hash: entry.hash, bytes: bytes)
    }

    /// Returns the next entries of the current page up to a position; empty if there are none.
    ///
    /// - Parameter last: a position that another journal names; it is read even if it was written after the
    /// iteration began.
    func next(through last: Position) throws -> [Entry] {
        guard position < last else { return [] }
        if let goal { self.goal = max(goal, last) } else { goal = last }
        guard try hasMore() else { return [] }
        let fit = page.prefix { $0.position <= last }
        page = page.dropFirst(fit.count)
        position = fit.last?.position ?? position
        return fit.map(replaced)
    }

    /// Loads the next page once the current one is read. Returns false at the end; throws if the service does not
    /// respond.
    private func hasMore() throws -> Bool {
        guard page.isEmpty else { return true }
        if position > 0 { try follower.taken(feed, through: position) }
        let began = Clock.monotonicMicroseconds()
        while pages.isEmpty {
            guard stop == nil, position < goal ?? .max else { return false }
            try receive()
            guard pages.isEmpty, stop == nil else { continue }
            let now = Clock.monotonicMicroseconds()
            if let reachedAt, now - max(reachedAt, began) >= (goal == nil ? 0 : Self.catchUp) { return false }
            guard now - began < Self.patience else {
                throw Refusal("\(feed) is not served; is its service running? See: furrow status")
            }
            try follower.wait(milliseconds: 100)
        }
        let turned = pages.removeFirst()
        epoch = turned.head.epoch
        page = turned.entries[...]
        let goal = goal ?? turned.head.position
        // A page without entries means that those before the head are missing.
        self.goal = page.isEmpty ? position : goal
        if let what { progress = progress ?? Progress(what, of: Int(goal), from: Int(position)) }
        progress?.reached(Int(position))
        for one in turned.damage {
            damage.add(one.finding)
            if case .broken(let position) = one, broken.count < Findings.limit { broken.insert(position) }
        }
        return true
    }

    private func receive() throws {
        for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
            switch news {
            case .page(let page):
                pages.append(page)
                reachedAt = nil
            case .reached: reachedAt = Clock.monotonicMicroseconds()
            case .stopped(_, let reason): stop = reason
            }
        }
    }
}

extension ChainDamage {
    /// The description of the damage in an audit.
    var finding: String {
        switch self {
        case .broken(let position): "the chain breaks at \(position)"
        case .missing(let positions) where positions.count == 1: "the entry at \(positions.lowerBound) is missing"
        case .missing(let positions):
            "the entries at \(positions.lowerBound)–\(positions.upperBound) are missing"
        }
    }
}

extension StopReason {
    /// The description in an audit of why a journal cannot be read to its end.
    var finding: String {
        switch self {
        case .diverged(let position): "the chain breaks at \(position)"
        case .hole(let position): "the entry at \(position) is missing"
        case .unknownEpoch(let head): "it restarted at \(head.position) while it was read"
        case .beyondHead(let head): "it ended at \(head.position) before what was read"
        }
    }
}
