import EventStore
import System

/// Measures how long a service takes until it responds if it has nothing to project and nothing to seal.
struct StartBench {
    private let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    func run() throws -> BenchResult {
        // The first start projects the prefilled journal.
        try stop(
            BenchServer(options) { journal in
                _ = try LocalBench.fill(options, journal, "writing and sealing the journal", isSealed: true)
            })
        let stopped = try BenchServer(options)
        let (peak, read) = (Machine.peakResidentBytes(of: stopped.pid), Machine.bytesRead(of: stopped.pid))
        try stopped.kill()
        let killed = try BenchServer(options)
        let (_, secondsToStop) = try BenchCommand.timed { try stop(killed) }
        let segments = Directory.usedBytes(SegmentDirectory(ofJournal: killed.journal).path)
        var result = BenchResult(
            bench: options.name, events: options.events, seconds: stopped.secondsToAnswer, peakRSSBytes: peak,
            bytesPerEvent: Double(try File.size(killed.journal) + Int(segments)) / Double(options.events))
        result.bytesRead = read
        result.secondsAfterKill = killed.secondsToAnswer
        result.secondsToStop = secondsToStop
        return result
    }

    private func stop(_ server: BenchServer) throws {
        guard server.stop() else { throw Refusal("The measured service did not end in order.") }
    }
}
