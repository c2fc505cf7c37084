import EventBus
import EventSourcing
import System
import ZeroMQ

/// Reads past pages of the hub again, for views that have to be folded anew. Waits for the hub as long as it takes.
final class HubPull {
    private let follower: FeedFollower
    private let doors: Doors
    private var ahead: [Entry] = []
    private let waiting: (String) -> Void

    init(_ doors: Doors, waiting: @escaping (String) -> Void) throws {
        follower = try doors.follower(of: "trace-ledger")
        self.doors = doors
        self.waiting = waiting
    }

    /// The entries after a checkpoint, through a position.
    func entries(of feed: String, after checkpoint: Checkpoint?, through last: Position) throws -> [Entry] {
        var entries: [Entry] = []
        if let next = ahead.first, next.position != (checkpoint?.position ?? 0) + 1 { ahead.removeAll() }
        if ahead.isEmpty { try follower.follow(feed, after: checkpoint) }
        var poller = Poller()
        _ = poller.add(follower.socket)
        while (entries.last?.position ?? 0) < last {
            let fit = ahead.prefix { $0.position <= last }
            entries += fit
            ahead.removeFirst(fit.count)
            if (entries.last?.position ?? 0) >= last { break }
            for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
                switch news {
                case .page(let page):
                    ahead += page.entries
                    if let end = page.entries.last { try follower.taken(feed, through: end.position) }
                case .reached: break
                case .stopped(_, let reason):
                    throw LogFailure(operation: "fold", message: "\(feed) cannot be read again: \(reason)")
                }
            }
            guard ahead.isEmpty else { continue }
            try doors.follow()
            waiting("reading \(feed) again from \(entries.last?.position ?? checkpoint?.position ?? 0)")
            _ = try poller.wait(milliseconds: 200)
        }
        return entries
    }
}
