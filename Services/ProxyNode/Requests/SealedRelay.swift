import HTTP
import SQLite
import Sharing
import System
import Telemetry
import Vocabulary
import Wire

/// Passes messages that only a farm can read on to it: at once, or when there is a network again, each in its order.
///
/// A node can read neither the messages nor the responses, and cannot change them without being noticed (RFC 9458).
/// It belongs to the event loop's thread.
struct SealedRelay {
    /// A message on its way to a farm.
    struct Job: FetchJob {
        static let seconds = NodeLimits.fetchSeconds

        /// The number of the farm, and its address.
        let farm: Int
        let address: String
        /// The id of a message of the queue; nil for one whose sender waits.
        let id: String?
        let body: [UInt8]

        var method: String { "POST" }
        var url: String { address + ObliviousHTTP.path }
        var headers: [(String, String)] { [("Content-Type", ObliviousHTTP.requestType)] }
    }

    private let queue: SealedQueue
    private let farms: [String]
    private let log: Logger
    private let fetchers: [Fetcher<Job>]
    private var idle: [Int]
    /// Messages whose senders wait, by the fetcher that sends each, and those that have none yet.
    private var underway: [Int: HTTPExchange] = [:]
    private var urgent: [(job: Job, exchange: HTTPExchange)] = []
    /// The farms of which a stored message is being sent.
    private var sending: Set<Int> = []
    private var pauses: [RetryPause]
    /// Messages that were passed on since the start.
    private(set) var passedOn = 0

    init(
        farms: [String], queue: SealedQueue, client: HTTPClient, outcomes: Mailbox<Fetcher<Job>.Outcome>, log: Logger
    ) throws(SystemError) {
        self.farms = farms
        self.queue = queue
        self.log = log
        fetchers = try (0..<NodeLimits.sealedFetchers).map { number throws(SystemError) in
            try Fetcher(name: "sealed-\(number)", number: number, client: client, outcomes: outcomes)
        }
        idle = Array(fetchers.indices)
        pauses = farms.map { _ in
            RetryPause(first: SharingLimits.pauseMicroseconds, longest: SharingLimits.longestPauseMicroseconds)
        }
    }

    /// The messages that wait for a network.
    var waiting: Int { queue.waiting }

    /// Takes a message to the farm with this number: sends it if the farm can be reached, or else stores it if its
    /// sender asks for that (`Prefer: respond-async`, RFC 7240).
    mutating func take(_ exchange: HTTPExchange, to farm: Int, isReachable: Bool, at time: Moment) throws {
        guard isReachable, urgent.count < NodeLimits.waiters else { return try leave(exchange, to: farm, at: time) }
        let job = Job(farm: farm, address: farms[farm], id: nil, body: exchange.request.body)
        urgent.append((job, exchange))
    }

    /// Handles the outcome of a message that was sent. Returns whether the farm has responded.
    mutating func finish(_ outcome: Fetcher<Job>.Outcome, at time: Moment) throws -> Bool {
        idle.append(outcome.fetcher)
        let exchange = underway.removeValue(forKey: outcome.fetcher)
        if outcome.job.id != nil { sending.remove(outcome.job.farm) }
        switch outcome.result {
        case .success(let response) where response.status < 500 && response.status != 429:
            passedOn += 1
            pauses[outcome.job.farm].succeed()
            if let id = outcome.job.id {
                try queue.answer(id, status: response.status, response.body)
            }
            exchange?.respond(Self.response(response.status, response.body))
            return true
        case .success, .failure:
            if outcome.job.id != nil { pauses[outcome.job.farm].fail(at: time.monotonic) }
            if let exchange { try leave(exchange, to: outcome.job.farm, at: time) }
            return false
        }
    }

    /// Stores a message, or refuses it.
    private func leave(_ exchange: HTTPExchange, to farm: Int, at time: Moment) throws {
        guard exchange.request.headers["Prefer"]?.contains("respond-async") == true else {
            return exchange.respond(NodeResponses.notReached(farms[farm]))
        }
        do throws(SQLiteError) {
            guard let id = try queue.add(exchange.request.body, to: farms[farm], at: Instant(microseconds: time.real))
            else { return exchange.respond(NodeResponses.full) }
            exchange.respond(Self.accepted(id))
        } catch {
            guard error.isFull else { throw error }
            exchange.respond(NodeResponses.full)
        }
    }

    /// Returns what became of a stored message.
    func response(to id: String) throws(SQLiteError) -> HTTPResponse {
        switch try queue.find(id) {
        case .waiting: Self.accepted(id)
        case .answered(let status, let body): Self.response(status, body)
        case nil: NodeResponses.problem(404, "not-found", "This node has no message of this name.")
        }
    }

    /// Ends a round of the event loop: starts what can be started, messages with a waiting sender first.
    mutating func endRound(_ isReachable: (Int) -> Bool, at now: Int64) throws {
        while let fetcher = idle.last, !urgent.isEmpty {
            idle.removeLast()
            let (job, exchange) = urgent.removeFirst()
            underway[fetcher] = exchange
            fetchers[fetcher].start(job)
        }
        guard queue.waiting > 0 else { return }
        for farm in farms.indices where !sending.contains(farm) && isReachable(farm) && pauses[farm].isOver(at: now) {
            guard let fetcher = idle.last, let message = try queue.next(to: farms[farm]) else { continue }
            idle.removeLast()
            sending.insert(farm)
            fetchers[fetcher].start(Job(farm: farm, address: farms[farm], id: message.id, body: message.body))
        }
    }

    /// Forgets messages and responses that are too old.
    func tidy(at time: Moment) throws(SQLiteError) {
        try queue.expire(
            before: Instant(microseconds: time.real - Int64(NodeLimits.deferredSeconds) * 1_000_000))
    }

    private static func accepted(_ id: String) -> HTTPResponse {
        var response = HTTPResponse(status: 202)
        response.headers["Location"] = "\(NodeRequest.prefix)/sealed/\(id)"
        response.headers["Retry-After"] = "15"
        response.headers["Cache-Control"] = "no-store"
        return NodeResponses.withSource(response, "furrow-node; fwd=miss; detail=stored")
    }

    private static func response(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
        let type = status == 200 ? ObliviousHTTP.responseType : "application/problem+json"
        var response = HTTPResponse(status: status, type: type, body: body)
        response.headers["Cache-Control"] = "no-store"
        return NodeResponses.withSource(response, "furrow-node; fwd=miss; fwd-status=\(status)")
    }
}
