import Crypto
import EventSourcing
import EventStore
import Host
import JetStream
import System
import Vocabulary

/// The benchmarks of a journal in the cluster that `FURROW_CLUSTER` names, with a stream of their own.
struct ClusterBench {
    private let options: BenchOptions
    private let cluster: Cluster
    private let feed = "bench/\(Hex.encode(Random.bytes(6)))-0"

    init(_ options: BenchOptions) throws {
        self.options = options
        guard let cluster = try Settings(environment: Machine.environment).cluster(for: "bench") else {
            throw Refusal("FURROW_CLUSTER and FURROW_CLUSTER_KEY say which cluster to measure.", isMisuse: true)
        }
        self.cluster = cluster
    }

    /// Commits batches of `--batch` events, each after the last one is acknowledged.
    func append() throws -> BenchResult {
        let latencies = try fill()
        return BenchResult(
            bench: options.name, events: options.events, seconds: Double(latencies.reduce(0, +)) / 1_000_000,
            latencies: latencies, peakRSSBytes: Machine.peakResidentBytes())
    }

    /// Reads all events from the cluster, verifies their chain and writes the file of another machine.
    func replay() throws -> BenchResult {
        _ = try fill()
        let (log, seconds) = try BenchCommand.timed { try open("other") }
        let head = log.head.position
        try log.close()
        return BenchResult(
            bench: options.name, events: Int(head), seconds: seconds, peakRSSBytes: Machine.peakResidentBytes())
    }

    private func open(_ name: String) throws -> SQLiteLog {
        try cluster.open("\(options.folder)/\(name).db", feed: feed, why: "bench", at: AdjustableClock.machine)
    }

    /// Returns the microseconds of each commit.
    private func fill() throws -> [Int64] {
        let log = try open(SQLiteLog.fileName)
        let source = BenchEvents(size: options.size)
        var progress = Progress(options.name.rawValue, of: options.events)
        var latencies: [Int64] = []
        for start in stride(from: 0, to: options.events, by: options.batch) {
            let drafts = (start..<min(start + options.batch, options.events)).map(source.draft)
            let began = Clock.monotonicMicroseconds()
            _ = try log.stage(Commit(drafts), at: AdjustableClock.machine)
            try log.commit()
            latencies.append(Clock.monotonicMicroseconds() - began)
            progress.reached(start)
        }
        try log.close()
        return latencies
    }
}
