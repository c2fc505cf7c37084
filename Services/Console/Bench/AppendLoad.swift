import EventBus
import EventSourcing
import System
import ZeroMQ

/// Clients that append through a request server, each on its own socket with `inflight` requests under way.
final class AppendLoad {
    private let requestClients: [RequestClient]
    private let inflight: Int
    private let events: Int
    private let bodies: [[UInt8]]
    private let arrivals: Epoll
    private var started = 0
    private var sent: [[UInt64: Int64]]
    private var latencies: [Int64] = []
    private var progress: Progress

    /// The microseconds from request to response for each event, and the seconds of the whole run.
    typealias Answered = (latencies: [Int64], seconds: Double)

    /// The time in seconds that a response may take before the measurement fails.
    private static let patience = 60.0

    /// Connects every client, and returns once each has received a response. Throws if one receives none.
    init(_ server: BenchServer, _ options: BenchOptions) throws {
        let context = try Context()
        inflight = options.inflight
        events = options.events
        requestClients = try (0..<options.clients).map { _ in
            try RequestClient(endpoint: server.ask, context: context, curve: server.curve)
        }
        let source = BenchEvents(size: options.size)
        bodies = (0..<min(options.events, BenchEvents.day)).map(source.body)
        sent = Array(repeating: [:], count: requestClients.count)
        progress = Progress("append", of: options.events)
        arrivals = try Epoll()
        for (client, requestClient) in requestClients.enumerated() {
            try arrivals.add(requestClient.socket.descriptor, number: client)
            guard
                case .answer = try requestClient.askAndWait(
                    verb: BenchService.statsVerb, body: [], actor: .service("bench"), key: nil, entropy: Self.entropy,
                    seconds: Self.patience)
            else { throw Refusal("The measured service does not respond.") }
        }
    }

    private static let entropy = [UInt8](repeating: 7, count: BusLimits.entropyBytes)

    func run() throws -> Answered {
        let (_, seconds) = try BenchCommand.timed { try askAll() }
        return (latencies, seconds)
    }

    private func askAll() throws {
        latencies.reserveCapacity(events)
        for client in requestClients.indices {
            for _ in 0..<inflight where started < events { try ask(client) }
            try hear(client)
        }
        var looks = Clock.monotonicMicroseconds()
        while latencies.count < events {
            for client in try arrivals.wait(milliseconds: 100) { try hear(client) }
            let now = Clock.monotonicMicroseconds()
            guard now >= looks else { continue }
            // Unsent requests are sent again and deadlines expire even if nothing arrives.
            looks = now + 100_000
            for client in requestClients.indices { try hear(client) }
            progress.reached(latencies.count)
        }
    }

    private func ask(_ client: Int) throws {
        let now = Clock.monotonicMicroseconds()
        let request = try requestClients[client].ask(
            verb: BenchService.appendVerb, body: bodies[started % bodies.count], actor: .service("bench"), key: nil,
            entropy: Self.entropy, seconds: Self.patience, at: now)
        sent[client][request] = now
        started += 1
    }

    /// Receives responses and sends further requests until nothing more arrives, as an edge-triggered descriptor
    /// requires.
    private func hear(_ client: Int) throws {
        while try hearSome(client) {}
    }

    private func hearSome(_ client: Int) throws -> Bool {
        let now = Clock.monotonicMicroseconds()
        let outcomes = try requestClients[client].receive(at: now)
        for (request, outcome) in outcomes {
            switch outcome {
            case .unknown: throw Refusal("The measured service did not respond within \(Int(Self.patience)) s.")
            case .answer(let answer) where answer.status != 201:
                throw Refusal("The measured service refused: \(String(decoding: answer.body, as: UTF8.self))")
            case .answer: break
            }
            if let began = sent[client].removeValue(forKey: request) { latencies.append(now - began) }
            if started < events { try ask(client) }
        }
        return !outcomes.isEmpty
    }
}
