import EventSourcing
import EventStore
import Host
import Radio
import SQLite
import System
import Vocabulary

/// The benchmarks within this process.
struct LocalBench {
    private let options: BenchOptions

    /// The number of events between two syncs.
    static let batch = 256

    init(_ options: BenchOptions) {
        self.options = options
    }

    /// Writes a journal in batches of 256, with one sync each. Returns the seconds that staging and committing took.
    ///
    /// - Parameter isSealed: whether complete runs are sealed into segments meanwhile.
    static func fill(
        _ options: BenchOptions, _ path: String, _ progress: String, isSealed: Bool = false
    ) throws -> Double {
        let log = try SQLiteLog(path: path, feed: BenchService.origin, why: "bench", at: AdjustableClock.machine)
        log.reserve()
        let reader = try log.reader()
        let source = BenchEvents(size: options.size)
        var progress = Progress(progress, of: options.events)
        var microseconds: Int64 = 0
        for start in stride(from: 0, to: options.events, by: batch) {
            let drafts = (start..<min(start + batch, options.events)).map(source.draft)
            let began = Clock.monotonicMicroseconds()
            _ = try log.stage(Commit(drafts), at: AdjustableClock.machine)
            try log.commit()
            microseconds += Clock.monotonicMicroseconds() - began
            if isSealed { try seal(log, reading: reader) }
            progress.reached(start)
        }
        try log.close()
        return Double(microseconds) / 1_000_000
    }

    /// Seals what is due, as an idle service does.
    private static func seal(_ log: SQLiteLog, reading reader: any LogReader) throws {
        while let run = try SealedRun.due(in: log) {
            let made = try SealedRun.make(run, reading: reader, in: SegmentDirectory(ofJournal: log.path))
            _ = try log.stage(Commit(made.drafts), at: AdjustableClock.machine)
            try log.hand(over: made)
            try log.commit()
            while try log.dropSealed() {}
        }
    }

    private var journal: String { "\(options.folder)/\(SQLiteLog.fileName)" }

    func append() throws -> BenchResult {
        let syncs = Database.syncs
        let seconds = try Self.fill(options, journal, "append-local")
        return BenchResult(
            bench: options.name, events: options.events, seconds: seconds,
            peakRSSBytes: Machine.peakResidentBytes(),
            bytesPerEvent: Double(try File.size(journal)) / Double(options.events), fsyncs: Database.syncs - syncs)
    }

    /// Measures projecting the views into SQLite from the journal's file.
    func rebuild() throws -> BenchResult {
        _ = try Self.fill(options, journal, "writing the journal")
        let path = journal
        let last = try SQLiteReader(path: path).head().position
        let syncs = Database.syncs
        var progress = Progress("rebuild", of: options.events)
        let (_, seconds) = try BenchCommand.timed {
            let tables = try SQLiteTables(path: "\(options.folder)/views.db", Folding<BenchService>.schemas)
            let folding = Folding<BenchService>(of: BenchService.origin, into: tables)
            try folding.fold(
                from: 1, through: last, reading: { try SQLiteReader(path: path) }, pulling: { _, _, _ in [] },
                reached: { progress.reached(Int($0)) })
            try tables.flush(at: last)
            try tables.close()
        }
        return BenchResult(
            bench: options.name, events: options.events, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes(),
            bytesPerEvent: Double(try File.size(journal)) / Double(options.events), fsyncs: Database.syncs - syncs)
    }

    /// Prints the events, one a line.
    func tell() throws {
        let log = try MemoryLog(feed: BenchService.origin, why: "bench", at: AdjustableClock.machine)
        let source = BenchEvents(size: options.size)
        for start in stride(from: 0, to: options.events, by: Self.batch) {
            let drafts = (start..<min(start + Self.batch, options.events)).map(source.draft)
            var lines: [UInt8] = []
            for case .written(let entry, _) in try log.stage(Commit(drafts), at: AdjustableClock.machine) {
                lines += entry.bytes + [10]
            }
            guard Terminal.put(lines) else { return }
        }
    }
}
