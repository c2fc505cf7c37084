import EventSourcing
import EventStore
import Events
import JSON
import System

/// Seals the oldest complete run of a journal, one at a time, when the event loop is idle or too many entries have
/// accumulated.
///
/// A thread writes the segment, the loop records it, and only then the run's rows are deleted from the journal, a few
/// at a time. A crash is possible after each step. A segment that was written but not recorded is written again, with
/// the same bytes. A recorded one serves its events whether or not their rows are deleted. The same thread writes the
/// pruned replacements of segments, one at a time.
final class SegmentSealer {
    private let feed: String
    private let folder: SegmentDirectory
    private let open: @Sendable () throws -> [any LogReader]
    private let mailbox: Mailbox<LoopMessage>
    private var worker: Worker?
    /// The head from which on the next run is complete; computed when it is reached.
    private var nextHead: Position = 0
    private var waitsUntil: Int64 = 0
    /// The next pruning.
    private var pruning: Pruning?

    /// Microseconds after which sealing is tried again after a failure.
    private static let pause: Int64 = 60_000_000

    init(
        _ feed: String, folder: String, open: @escaping @Sendable () throws -> [any LogReader],
        into mailbox: Mailbox<LoopMessage>
    ) {
        self.feed = feed
        self.folder = SegmentDirectory(ofJournal: "\(folder)/\(SQLiteLog.fileName)")
        self.open = open
        self.mailbox = mailbox
    }

    /// Returns whether so many entries have accumulated without an idle moment that sealing must continue beside the
    /// load.
    func isBehind(_ log: any EventLog) -> Bool {
        log.head.position >= nextHead + Position(StoreLimits.entriesBehind)
    }

    /// Does a small part of the pending work; called right after a commit.
    func turn(_ log: any EventLog, at now: Int64) throws {
        if let log = log as? any SealingLog, try log.dropSealed() { return }
        guard worker == nil else { return }
        if let next = pruning {
            pruning = nil
            return try start(next)
        }
        guard now >= waitsUntil, log.head.position >= nextHead else { return }
        guard let run = try SealedRun.due(in: log) else {
            nextHead = log.head.position + 1
            return
        }
        let (feed, folder, open, mailbox) = (feed, folder, open, mailbox)
        worker = try Worker(name: "seal") {
            let made: Result<SealedRun, LogFailure>
            do {
                guard let reader = try open().first(where: { try $0.head().feed == feed }) else {
                    throw LogFailure(operation: "seal", message: "\(feed) cannot be read")
                }
                made = .success(try SealedRun.make(run, reading: reader, in: folder))
            } catch {
                made = .failure(error as? LogFailure ?? LogFailure(operation: "seal", message: "\(error)"))
            }
            Self.post(.sealed(made), to: mailbox)
        }
    }

    /// Prunes old events of a sealed run when the event loop is idle.
    func prune(_ next: Pruning) {
        pruning = next
    }

    private func start(_ next: Pruning) throws {
        let (folder, mailbox) = (folder, mailbox)
        worker = try Worker(name: "prune") {
            let made: Result<PrunedRun, LogFailure>
            do throws(LogFailure) {
                made = .success(
                    try PrunedRun.make(next.positions, in: folder, keeping: next.kept) { (entry) throws(LogFailure) in
                        do throws(JSONError) {
                            return next.age(try RecordedEvent(reading: entry.bytes))
                        } catch {
                            throw LogFailure(operation: "let go", message: "\(entry.position): \(error)")
                        }
                    })
            } catch {
                made = .failure(error)
            }
            Self.post(.pruned(made), to: mailbox)
        }
    }

    /// Waits for space in the mailbox, because the event loop continues only after this message.
    private static func post(_ made: LoopMessage, to mailbox: Mailbox<LoopMessage>) {
        while !mailbox.push(made) { rest() }
    }

    private static func rest() {
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: 100)
        } catch {
            // The caller tries again at once.
            return
        }
    }

    /// Joins the worker, which has finished.
    func ended() {
        worker?.join()
        worker = nil
    }

    /// Joins the worker, which has finished; after a failure, sealing pauses for a while.
    func ended(_ made: Result<SealedRun, LogFailure>, at now: Int64) {
        ended()
        if case .failure = made { waitsUntil = now + Self.pause }
    }
}
