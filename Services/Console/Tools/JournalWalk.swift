import EventBus
import EventSourcing
import System

/// Gives the entries of one journal, one after the other.
protocol Walk: AnyObject {
    /// The next entry; nil at the end.
    func next() throws -> Entry?
}

/// A walk through a feed over its service's reading door, page by page, the chain verified on the way. It goes forward
/// alone: of what it has passed nothing is held.
final class JournalWalk: Walk {
    private let feed: String
    private let follower: FeedFollower
    /// Where it ends; without one, where the feed reaches when its first page comes.
    private var goal: Position?
    /// What has come: the rest of the page at hand, and those behind it, of which the bus lets few be on their way.
    private var page: ArraySlice<Entry> = []
    private var pages: [Page] = []
    private var isAtEnd = false
    private let what: String?
    private var progress: Progress?
    private var stop: StopReason?
    /// The epoch that the feed is in, and how far of it was given.
    private(set) var epoch: Epoch?
    private(set) var position: Position

    /// How long a service may be silent.
    private static let patience: Int64 = 15_000_000

    init(
        _ feed: String, _ follower: FeedFollower, after checkpoint: Checkpoint?, through last: Position?,
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
        guard try hasMore(), let entry = page.popFirst() else { return nil }
        position = entry.position
        return entry
    }

    /// The first of the next entries, none beyond a position; none where there are none.
    func next(through last: Position) throws -> [Entry] {
        guard position < last, try hasMore() else { return [] }
        let fit = page.prefix { $0.position <= last }
        page = page.dropFirst(fit.count)
        position = fit.last?.position ?? position
        return Array(fit)
    }

    /// Turns the page once it is read.
    private func hasMore() throws -> Bool {
        guard page.isEmpty else { return true }
        if position > 0 { try follower.taken(feed, through: position) }
        let began = Clock.monotonicMicroseconds()
        while pages.isEmpty {
            guard !isAtEnd, stop == nil else { return false }
            try receive()
            guard pages.isEmpty, !isAtEnd, stop == nil else { continue }
            guard Clock.monotonicMicroseconds() - began < Self.patience else {
                throw Refusal("\(feed) is not served; is its service running? See: furrow status")
            }
            try follower.wait(milliseconds: 100)
        }
        let turned = pages.removeFirst()
        epoch = turned.head.epoch
        page = turned.entries[...]
        let goal = goal ?? turned.head.position
        self.goal = goal
        if let what { progress = progress ?? Progress(what, of: Int(goal), from: Int(position)) }
        progress?.reached(Int(position))
        if let last = page.last, last.position >= goal {
            isAtEnd = true
            pages.removeAll()
        }
        return true
    }

    private func receive() throws {
        for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
            switch news {
            case .page(let page): pages.append(page)
            case .reached: isAtEnd = true
            case .stopped(_, let reason): stop = reason
            }
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
