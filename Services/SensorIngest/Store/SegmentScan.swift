package import EventSourcing
import EventStore
import Events
import System
import Vocabulary

extension Retention {
    /// Keeps reports for so many seconds in a journal that a simulation holds.
    ///
    /// - Parameters:
    ///   - pause: seconds between two looks at a run that is not old enough.
    ///   - run: gives the run behind a position; nil where it is not complete.
    ///   - horizon: another rule than the trusted clock's, for mutants.
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

    /// Keeps reports for so many days in the journal of a slot's folder; nil for ever.
    ///
    /// - Parameter newest: what the journal's clock had reached; nil for a new journal.
    init(days: Int?, journal path: String, newest: Instant?) {
        let folder = SegmentDirectory(ofJournal: path)
        self.init(days: days, newest: newest) { last, before in
            let run = (last + 1)...(last + Position(StoreLimits.sealEvents))
            do {
                return try OldReports(of: run, in: folder, before: before)
            } catch {
                // A segment that cannot be read is what audits are for; here nothing is let go of it.
                return nil
            }
        }
    }
}

extension OldReports {
    /// Reads a run from its segment; nil where there is none yet, or not all of it was recorded before that moment.
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
