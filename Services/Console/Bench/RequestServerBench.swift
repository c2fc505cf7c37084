import EventBus
import EventSourcing
import EventStore
import Events
import Host
import System
import ZeroMQ

/// The benchmarks of a service in another process.
struct RequestServerBench {
    private let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    /// Measures commands that are confirmed once their events are on the disk.
    func append() throws -> BenchResult {
        let server = try BenchServer(options) { journal in
            if options.readers > 0 { _ = try LocalBench.fill(options, journal, "writing what is read meanwhile") }
        }
        defer { server.stop() }
        let readers = try BenchReaders(options.readers, of: server)
        let before = try server.syncs()
        let (latencies, seconds) =
            if let program = options.load {
                try OutsideLoad(program, server, options).run()
            } else {
                try AppendLoad(server, options).run()
            }
        let syncs = try server.syncs() - before
        let read = readers.events
        try readers.stop()
        let peak = Machine.peakResidentBytes(of: server.pid)
        server.stop()
        let kept = latencies.count + (options.readers > 0 ? options.events : 0)
        return BenchResult(
            bench: options.name, events: latencies.count, seconds: seconds, latencies: latencies, peakRSSBytes: peak,
            bytesPerEvent: Double(try journalBytes(server)) / Double(kept), fsyncs: syncs,
            eventsRead: options.readers > 0 ? read : nil)
    }

    /// Measures reading a journal over its feed into typed values, its chain verified.
    func replay() throws -> BenchResult {
        let server = try BenchServer(options) { journal in
            _ = try LocalBench.fill(options, journal, "writing the journal")
        }
        defer { server.stop() }
        var count = 0
        var progress = Progress("replay", of: options.events)
        let (_, seconds) = try BenchCommand.timed {
            let follower = try FeedSubscriber(context: Context(), bind: nil, dial: server.read, curve: server.curve)
            try follower.follow(BenchService.origin, after: nil)
            while count < options.events {
                for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
                    if case .stopped(_, let reason) = news { throw Refusal("The journal cannot be read: \(reason)") }
                    guard case .page(let page) = news, let last = page.entries.last else { continue }
                    for entry in page.entries {
                        if case .sensors = try RecordedEvent(reading: entry.bytes).fact { count += 1 }
                    }
                    try follower.taken(BenchService.origin, through: last.position)
                    progress.reached(count)
                }
                if count < options.events { try follower.wait(milliseconds: 1000) }
            }
        }
        return BenchResult(
            bench: options.name, events: count, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes(),
            bytesPerEvent: Double(try File.size(server.journal)) / Double(count))
    }

    /// Returns the size of the journal once its WAL is checkpointed into it.
    private func journalBytes(_ server: BenchServer) throws -> Int {
        try SQLiteLog(path: server.journal, feed: BenchService.origin, why: "bench", at: AdjustableClock.machine)
            .close()
        return try File.size(server.journal)
    }
}
