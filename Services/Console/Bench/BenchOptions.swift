import EventStore
import System

/// The options of a benchmark.
struct BenchOptions {
    /// The benchmarks.
    enum Name: String, CaseIterable {
        case append
        case appendLocal = "append-local"
        /// Commits to a journal in the cluster of `FURROW_CLUSTER`.
        case appendCluster = "append-cluster"
        case replay
        /// Makes the file of a journal in the cluster on a machine that has none.
        case replayCluster = "replay-cluster"
        case start
        case rebuild
        case decode
        case alarm
        case ingest
        /// Each step of an event's processing by itself, which bounds the others.
        case parts
        /// Measures nothing: prints the events, as input for other programs.
        case events
    }

    /// The transport between clients and readers and the measured service.
    enum Transport: String, CaseIterable {
        case ipc
        case tcp
        /// TCP, encrypted, for the clients of an allow-list.
        case curve
    }

    let name: Name
    let events: Int
    /// The number of measuring points of `alarm`, besides one for each alarm.
    let points: Int
    let clients: Int
    /// The number of reports in one request of `ingest`, or of events in one commit to a cluster.
    let batch: Int
    let inflight: Int
    /// The approximate size of an event in bytes; nil for its natural size.
    let size: Int?
    let transport: Transport
    /// Whether the measured service updates its views while it appends.
    let foldsViews: Bool
    /// The number of readers that replay the prefilled journal during appends.
    let readers: Int
    /// An external program that sends the requests instead.
    let load: String?
    let file: String?
    let isJSON: Bool
    /// The folder of this measurement, which is removed afterwards.
    let folder: String
    /// The folder of its sockets: socket paths are limited to 107 bytes.
    let run: String

    init(_ arguments: inout Arguments) throws {
        let home = try arguments.value("--home") ?? "/var/tmp"
        let count = try arguments.number("--events", 1...100_000_000)
        points = try arguments.number("--points", 0...100_000) ?? 10_000
        let clients = try arguments.number("--clients", 1...1024)
        batch = try arguments.number("--batch", 1...2000) ?? 20
        inflight = try arguments.number("--inflight", 1...256) ?? 1
        size = try arguments.number("--size", 100...65_000)
        file = try arguments.value("--file")
        transport = try Self.word(try arguments.value("--transport") ?? "ipc", of: "--transport")
        foldsViews = arguments.flag("--views")
        readers = try arguments.number("--readers", 0...64) ?? 0
        load = try arguments.value("--load")
        isJSON = arguments.flag("--json")
        guard let name = arguments.word() else {
            throw Refusal("What to measure is missing: \(Self.all(Name.self)).", isMisuse: true)
        }
        self.name = try Self.word(name, of: "furrow bench")
        try arguments.end()
        self.clients = clients ?? (self.name == .ingest ? 16 : 64)
        events = count ?? (self.name == .alarm ? 50 : 100_000)
        folder = "\(home)/furrow-bench-\(Machine.processID)"
        run = "/tmp/furrow-bench-\(Machine.processID)"
        if load != nil, transport == .curve { throw Refusal("--load does not support CURVE.", isMisuse: true) }
        if self.name == .decode, file == nil {
            throw Refusal("decode needs a file of packets: --file F", isMisuse: true)
        }
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, of place: String
    ) throws(Refusal) -> Word {
        guard let word = Word(rawValue: text) else {
            throw Refusal("\(place): \(text) is not one of \(all(Word.self)).", isMisuse: true)
        }
        return word
    }

    private static func all<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> String {
        Word.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
