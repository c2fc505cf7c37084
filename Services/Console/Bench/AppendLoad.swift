import EventBus
import EventSourcing
import System
import ZeroMQ

/// Many clients that append over a desk, each on a socket of its own with so many asks under way.
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

    /// Microseconds from asking to the answer, for each event, and the seconds that all of it took.
    typealias Answered = (latencies: [Int64], seconds: Double)

    /// How long an answer may take before the measurement is given up.
    private static let patience = 60.0

    /// Dials with every client, and returns once each was answered.
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
            else { throw Refusal("The measured service does not answer.") }
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
            // What could not be sent is sent again, and deadlines pass, without anything arriving.
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

    /// Takes answers and asks anew until nothing has come meanwhile, as its descriptor wants it.
    private func hear(_ client: Int) throws {
        while try hearSome(client) {}
    }

    private func hearSome(_ client: Int) throws -> Bool {
        let now = Clock.monotonicMicroseconds()
        let outcomes = try requestClients[client].receive(at: now)
        for (request, outcome) in outcomes {
            switch outcome {
            case .unknown: throw Refusal("The measured service did not answer within \(Int(Self.patience)) s.")
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
