import HTTP
import JSON
import Synchronization
import System
import Vocabulary

/// Measures durable reports over HTTP in a whole farm server: clients that send one batch after the other.
///
/// Each report is of another packet of a tag, so none is a repetition. The clients run on the same processors.
struct IngestBench {
    private let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    private static let devices = 1000
    /// The time in seconds in which the gateway has to show all reports after the last response.
    private static let patience = 120.0

    func run() throws -> BenchResult {
        let farm = try BenchFarm(options, settings: [:])
        defer { farm.stop() }
        try farm.people.post("/v1/farms", #"{"farm":"bench","title":"Bench","zone":"UTC"}"#)
        let clients = (0..<options.clients).map { number in
            IngestClient(farm, number, batches: batches(of: number))
        }
        let (_, seconds) = try BenchCommand.timed {
            let workers = try clients.map { client in
                try Worker(name: "bench-client") { client.run() }
            }
            for worker in workers { worker.join() }
        }
        let outcomes = try clients.map { try $0.outcome() }
        let accepted = outcomes.reduce(0) { $0 + $1.accepted }
        guard accepted == options.events else {
            throw Refusal("\(options.events) reports were sent, and \(accepted) were new.")
        }
        try awaitReports(farm)
        var result = BenchResult(
            bench: .ingest, events: options.events, seconds: seconds,
            peakRSSBytes: Machine.peakResidentBytes(of: try farm.process(of: AlarmBench.service)))
        result.latencies = outcomes.flatMap(\.latencies)
        return result
    }

    /// Returns the bodies of one client's requests.
    private func batches(of client: Int) -> [[UInt8]] {
        let numbers = stride(from: client, to: options.events, by: options.clients).map { $0 }
        return stride(from: 0, to: numbers.count, by: options.batch).map { start in
            let adverts = numbers[start..<min(start + options.batch, numbers.count)].map { number in
                AlarmBench.advert(
                    AlarmBench.address(0xD0_0000_0000, number % Self.devices),
                    celsius: Double(number % 400) / 10, counter: number / Self.devices)
            }
            return Array(#"{"source":"bench-\#(client)","adverts":[\#(adverts.joined(separator: ","))]}"#.utf8)
        }
    }

    /// Reads from the other side that every report is recorded.
    private func awaitReports(_ farm: BenchFarm) throws {
        let began = Clock.monotonicMicroseconds()
        while try farm.people.reportsTaken() < options.events {
            guard Double(Clock.monotonicMicroseconds() - began) < Self.patience * 1_000_000 else {
                throw Refusal(
                    "\(options.events) reports were accepted, and \(try farm.people.reportsTaken()) are shown.")
            }
            _ = try Poll.wait([], milliseconds: 50)
        }
    }
}

/// One client, on a thread of its own, with one connection.
private final class IngestClient: Sendable {
    /// The new reports in the responses, and the microseconds from each request to its response.
    struct Outcome {
        var accepted = 0
        var latencies: [Int64] = []
        var problem: String?
    }

    private let url: String
    private let token: String
    private let number: Int
    private let batches: [[UInt8]]
    private let result = Mutex(Outcome())

    init(_ farm: BenchFarm, _ number: Int, batches: [[UInt8]]) {
        url = "\(farm.url)/v1/adverts"
        token = farm.token
        self.number = number
        self.batches = batches
    }

    func outcome() throws(Refusal) -> Outcome {
        let outcome = result.withLock { $0 }
        if let problem = outcome.problem { throw Refusal(problem) }
        return outcome
    }

    func run() {
        var outcome = Outcome()
        do {
            let client = HTTPClient()
            for (place, body) in batches.enumerated() {
                let began = Clock.monotonicMicroseconds()
                let response = try client.send(
                    "POST", url,
                    headers: [
                        ("Content-Type", "application/json"), ("Idempotency-Key", "bench-\(number)-\(place)"),
                        ("Authorization", "Bearer \(token)"),
                    ], body: body)
                guard response.status == 200 else {
                    throw Refusal("\(response.status) \(String(decoding: response.body, as: UTF8.self))")
                }
                outcome.latencies.append(Clock.monotonicMicroseconds() - began)
                outcome.accepted += try JSONValue.parse(response.body).get("measurements", as: Int.self)
            }
        } catch {
            outcome.problem = "\(error)"
        }
        let ended = outcome
        result.withLock { $0 = ended }
    }
}
