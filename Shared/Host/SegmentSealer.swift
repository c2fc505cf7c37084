import EventSourcing
import EventStore
import Events
import JSON
import System

/// Seals the oldest complete run of a journal, one at a time, whenever there is nothing else to do, or too much came
/// without a pause: a thread of its own makes the segment, the loop tells of it, and only then the run's rows leave the
/// journal, a few at a time.
///
/// Every step may be the last one before a crash: a segment that was written and not told of is written again, the
/// same; one that was told of serves its events whether or not their rows are gone. The same thread writes sealed runs
/// anew without what is let go of them, one at a time.
final class SegmentSealer {
    private let feed: String
    private let folder: SegmentDirectory
    private let open: @Sendable () throws -> [any LogReader]
    private let mailbox: Mailbox<LoopMessage>
    private var worker: Worker?
    /// The head from which on the next run is complete; looked up when it is reached.
    private var nextHead: Position = 0
    private var waitsUntil: Int64 = 0
    /// What is to be let go next.
    private var pruning: Pruning?

    /// Microseconds after which a run that could not be sealed is tried again.
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

    /// Whether so much came without a pause that sealing has to go on beside it, or the journal would only grow.
    func isBehind(_ log: any EventLog) -> Bool {
        log.head.position >= nextHead + Position(StoreLimits.entriesBehind)
    }

    /// Does a little of what is to do; right after a commit.
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
            Self.tell(.sealed(made), to: mailbox)
        }
    }

    /// Has old events of a sealed run let go, when nothing else is to do.
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
            Self.tell(.pruned(made), to: mailbox)
        }
    }

    /// Nothing else tells the loop that it may go on.
    private static func tell(_ made: LoopMessage, to mailbox: Mailbox<LoopMessage>) {
        while !mailbox.push(made) { rest() }
    }

    private static func rest() {
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: 100)
        } catch {
            // Then it is tried again at once.
            return
        }
    }

    /// The worker is done.
    func ended() {
        worker?.join()
        worker = nil
    }

    /// The worker is done; after a failure nothing is tried for a while.
    func ended(_ made: Result<SealedRun, LogFailure>, at now: Int64) {
        ended()
        if case .failure = made { waitsUntil = now + Self.pause }
    }
}
