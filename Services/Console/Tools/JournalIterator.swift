import EventBus
import EventSourcing
import System

/// Gives the entries of one journal, one after the other.
protocol Walk: AnyObject {
    /// The next entry; nil at the end.
    func next() throws -> Entry?
}

/// A walk through a feed over its service's reading socket, page by page, the chain verified on the way. It only goes
/// forward and holds nothing of what it has passed.
///
/// Where the chain does not hold, the walk ends, or it continues and lists the damage: `FeedSubscriber.damage` decides.
final class JournalIterator: Walk {
    private let feed: String
    private let follower: FeedSubscriber
    /// Where it ends; without one, where the feed reaches when its first page comes.
    private var goal: Position?
    /// What has come: the rest of the page at hand, and those behind it, of which the bus lets few be on their way.
    private var page: ArraySlice<Entry> = []
    private var pages: [Page] = []
    /// Since when everything up to the head of the feed was delivered.
    private var reachedAt: Int64?
    /// Where the chain does not hold.
    private(set) var damage = Findings()
    /// The entries that do not follow from the one before, the first ones of them.
    private(set) var broken: Set<Position> = []
    /// What is given instead of the bytes that stand at these positions; nothing: as if the entry were pruned.
    var replacing: [Position: [UInt8]] = [:]
    private let what: String?
    private var progress: Progress?
    private var stop: StopReason?
    /// The epoch that the feed is in, and how far of it was given.
    private(set) var epoch: Epoch?
    private(set) var position: Position

    /// How long a service may be silent.
    private static let patience: Int64 = 15_000_000
    /// How long an entry may take that another journal names already.
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

    /// Why it ended before it was at its end: the follower names the place where the chain breaks.
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

    /// The first of the next entries, none beyond a position; none where there are none.
    ///
    /// - Parameter last: a position that another journal names, so that it is read even if it was written after the
    ///   walk began.
    func next(through last: Position) throws -> [Entry] {
        guard position < last else { return [] }
        if let goal { self.goal = max(goal, last) } else { goal = last }
        guard try hasMore() else { return [] }
        let fit = page.prefix { $0.position <= last }
        page = page.dropFirst(fit.count)
        position = fit.last?.position ?? position
        return fit.map(replaced)
    }

    /// Turns the page once it is read.
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
        // A page without entries says that those before the head are missing.
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
    /// What an auditor says of it.
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
    /// What an auditor says of a journal that cannot be read to its end.
    var finding: String {
        switch self {
        case .diverged(let position): "the chain breaks at \(position)"
        case .hole(let position): "the entry at \(position) is missing"
        case .unknownEpoch(let head): "it began anew at \(head.position) while it was read"
        case .beyondHead(let head): "it ended at \(head.position) before what was read"
        }
    }
}
