import EventBus
import EventSourcing
import System
import ZeroMQ

/// Reads journals of a running farm server over its services' reading doors.
final class JournalPull {
    let neighbours: Neighbours

    init(_ premises: Premises) throws {
        neighbours = try Neighbours(premises, try Context())
    }

    /// All entries of a feed after a checkpoint, to the head it has now, page by page, the chain verified on the way.
    func each(
        _ feed: String, after checkpoint: Checkpoint? = nil, seconds: Double = 15, _ body: (Page) throws -> Bool
    ) throws {
        let follower = try neighbours.follower(of: feed)
        try follower.follow(feed, after: checkpoint)
        var last = Clock.monotonicMicroseconds()
        var goal: Position?
        while true {
            for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
                last = Clock.monotonicMicroseconds()
                switch news {
                case .page(let page):
                    goal = goal ?? page.head.position
                    guard try body(page), let end = page.entries.last?.position else { return }
                    if let goal, end >= goal { return }
                    try follower.taken(feed, through: end)
                case .reached: return
                case .stopped(_, let reason): throw Broken(feed: feed, reason: reason)
                }
            }
            guard Double(Clock.monotonicMicroseconds() - last) < seconds * 1_000_000 else {
                throw Refusal("\(feed) is not served; is its service running? See: furrow status")
            }
            try follower.wait(milliseconds: 100)
        }
    }

    func ask(_ service: String, _ verb: String, slot: Int) throws -> Answer {
        try Console.ask(
            neighbours.asker(of: service, slot: slot), service, verb, body: Array("{}".utf8), seconds: 60)
    }

    /// A feed cannot be read to its end.
    struct Broken: Error {
        let feed: String
        let reason: StopReason
    }
}
