package import EventSourcing
import EventStore
import Events
import System
import Vocabulary

extension Retention {
    /// Creates the retention of a simulated journal.
    ///
    /// - Parameters:
    /// - seconds: The retention period.
    /// - pause: Seconds until a segment that is not old enough is scanned again.
    /// - run: Returns the entries of the segment behind a position; nil if it is not complete.
    /// - horizon: A replacement for the trusted clock's rule, for mutation tests.
    package init(
        seconds: Double, clock: TrustedClock, horizon: Horizon? = nil, pause: Double,
        run: @escaping @Sendable (_ after: Position) -> [Entry]?
    ) {
        self.init(seconds: seconds, clock: clock, horizon: horizon, pause: pause) { last, before in
            do {
                guard let entries = run(last), let first = entries.first, let end = entries.last else { return nil }
                guard try RecordedEvent(reading: end.bytes).envelope.recorded < before else { return nil }
                var old = OldReports(positions: first.position...end.position, reports: 0)
                for entry in entries { old.add(try RecordedEvent(reading: entry.bytes), before: before) }
                return old
            } catch {
                return nil
            }
        }
    }

    /// Creates the retention of the journal in a slot's directory.
    ///
    /// - Parameters:
    /// - days: The retention period; nil is unlimited.
    /// - newest: The newest time in a journal without a clock mark; nil for a new journal.
    init(days: Int?, journal path: String, newest: Instant?) {
        let folder = SegmentDirectory(ofJournal: path)
        self.init(days: days, newest: newest) { last, before in
            let run = (last + 1)...(last + Position(StoreLimits.sealEvents))
            do {
                return try OldReports(of: run, in: folder, before: before)
            } catch {
                // Audits report unreadable segments; here nothing of such a segment is pruned.
                return nil
            }
        }
    }
}

extension OldReports {
    /// Scans a segment. Returns nil if it does not exist yet, or not all of it was recorded before `before`.
    fileprivate init?(of run: ClosedRange<Position>, in folder: SegmentDirectory, before: Instant) throws {
        guard File.exists(folder.file(of: run)) else { return nil }
        let segment = try Segment(path: folder.file(of: run))
        guard let last = try segment.entries(inBlock: segment.head.blocks.count - 1).last,
            try RecordedEvent(reading: last.bytes).envelope.recorded < before
        else { return nil }
        self.init(positions: run, reports: 0)
        for block in segment.head.blocks.indices {
            for entry in try segment.entries(inBlock: block) {
                add(try RecordedEvent(reading: entry.bytes), before: before)
            }
        }
    }
}
