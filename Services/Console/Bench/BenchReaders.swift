import EventBus
import EventSourcing
import Synchronization
import System
import ZeroMQ

/// Readers that replay the measured journal from its beginning, repeatedly, during a measurement.
///
/// Each has its own thread and connection.
final class BenchReaders {
    private let workers: [Worker]
    private let state: State

    /// The state that all readers share.
    private final class State: Sendable {
        let isStopping = Mutex(false)
        let events = Mutex(0)
        let trouble = Mutex<String?>(nil)
    }

    init(_ count: Int, of server: BenchServer) throws {
        let state = State()
        self.state = state
        let (endpoint, curve) = (server.read, server.curve)
        workers = try (0..<count).map { number in
            try Worker(name: "reader \(number)") {
                do {
                    try Self.replay(endpoint, curve, state)
                } catch {
                    state.trouble.withLock { $0 = "\(error)" }
                }
            }
        }
    }

    /// The number of events read so far, their chain verified.
    var events: Int { state.events.withLock { $0 } }

    /// Stops the readers. Throws if one of them failed.
    func stop() throws(Refusal) {
        state.isStopping.withLock { $0 = true }
        for worker in workers { worker.join() }
        if let trouble = state.trouble.withLock({ $0 }) { throw Refusal("A reader failed: \(trouble)") }
    }

    private static func replay(_ endpoint: String, _ curve: Curve?, _ state: State) throws {
        let context = try Context()
        let follower = try FeedSubscriber(dialling: endpoint, context: context, curve: curve)
        try follower.follow(BenchService.origin, after: nil)
        while !state.isStopping.withLock({ $0 }) {
            for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
                switch news {
                case .stopped(_, let reason): throw Refusal("the journal cannot be read: \(reason)")
                case .reached: try follower.follow(BenchService.origin, after: nil)
                case .page(let page):
                    guard let last = page.entries.last else { continue }
                    state.events.withLock { $0 += page.entries.count }
                    try follower.taken(BenchService.origin, through: last.position)
                }
            }
            try follower.wait(milliseconds: 50)
        }
    }
}
