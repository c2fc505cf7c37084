import EventBus
import EventSourcing
import System

/// Reads past pages of the hub for a rebuild of the views. Waits for the hub without a time limit.
final class HubPageReader {
    private let subscriber: FeedSubscriber
    private let endpoints: Endpoints
    /// Entries that have arrived but were not returned yet, and the position at which they begin.
    private var ahead: ArraySlice<Entry> = []
    private var next: Position?
    private let waiting: (String) -> Void

    init(_ endpoints: Endpoints, waiting: @escaping (String) -> Void) throws {
        subscriber = try endpoints.subscriber(of: "trace-ledger")
        self.endpoints = endpoints
        self.waiting = waiting
    }

    /// Returns the first entries after a checkpoint, none after `last`. Waits for them. Throws if the feed diverged or
    /// the keys changed.
    func entries(of feed: String, after checkpoint: Checkpoint?, through last: Position) throws -> [Entry] {
        let first = (checkpoint?.position ?? 0) + 1
        if next != first {
            ahead = []
            try subscriber.follow(feed, after: checkpoint)
        }
        while ahead.isEmpty {
            for updates in try subscriber.receive(at: Clock.monotonicMicroseconds()) {
                switch updates {
                case .page(let page):
                    ahead += page.entries
                    if let end = page.entries.last { try subscriber.taken(feed, through: end.position) }
                case .reached: break
                case .stopped(_, let reason):
                    throw LogFailure(operation: "fold", message: "\(feed) cannot be read again: \(reason)")
                }
            }
            guard ahead.isEmpty else { break }
            try endpoints.follow()
            guard try endpoints.inspect() != .stale else {
                throw LogFailure(operation: "fold", message: "keys changed: to be started again with the new ones")
            }
            waiting("reading \(feed) again from \(first)")
            try subscriber.wait(milliseconds: 200)
        }
        let fit = ahead.prefix { $0.position <= last }
        ahead = ahead.dropFirst(fit.count)
        next = first + Position(fit.count)
        return Array(fit)
    }
}
