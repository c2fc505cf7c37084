import Crypto
import EventBus
import EventSourcing
import System
import Vocabulary
import ZeroMQ

/// Many clients that append over a desk, each on a socket of its own with so many asks under way.
final class AppendLoad {
    private let askers: [Asker]
    private let inflight: Int
    private let context: Context

    init(_ endpoint: String, clients: Int, inflight: Int) throws {
        let context = try Context()
        self.context = context
        self.inflight = inflight
        askers = try (0..<clients).map { _ in try Asker(endpoint: endpoint, context: context) }
    }

    /// Microseconds from asking to the answer, for each event.
    func run(_ events: Int) throws -> [Int64] {
        let source = BenchEvents()
        let bodies = (0..<min(events, 4096)).map(source.body)
        var started = 0
        var sent: [[UInt64: Int64]] = Array(repeating: [:], count: askers.count)
        var latencies: [Int64] = []
        latencies.reserveCapacity(events)
        func ask(_ client: Int) throws {
            let now = Clock.monotonicMicroseconds()
            let request = try askers[client].ask(
                verb: "append", body: bodies[started % bodies.count], actor: .service("bench"), key: nil,
                entropy: Array(repeating: 7, count: 16), seconds: 30, at: now)
            sent[client][request] = now
            started += 1
        }
        for client in askers.indices {
            for _ in 0..<inflight where started < events { try ask(client) }
        }
        var poller = Poller()
        for asker in askers { _ = poller.add(asker.socket) }
        while latencies.count < events {
            for client in try poller.wait(milliseconds: 1000) {
                let now = Clock.monotonicMicroseconds()
                for (request, outcome) in try askers[client].receive(at: now) {
                    guard case .answer(let answer) = outcome, answer.status == 201 else {
                        throw Refusal("The measured service did not append (\(outcome)).")
                    }
                    if let began = sent[client].removeValue(forKey: request) { latencies.append(now - began) }
                    if started < events { try ask(client) }
                }
            }
        }
        return latencies
    }
}
