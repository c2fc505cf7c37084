import EventSourcing
import EventStore
import JSON
import Synchronization
import System
import Wire

/// Compares the index of the journal with its bytes for an auditor, on a thread of its own. Only one check runs at a
/// time; further requests return its progress.
final class IndexCheck {
    /// The progress and result of a check.
    private struct Progress: Sendable {
        var position: Position = 0
        /// The number of completed steps, by which callers see that the check proceeds.
        var steps = 0
        var isDone = false
        /// The first mismatches, and the number of all.
        var flaws: [String] = []
        var flawCount = 0
        /// Why the index could not be checked.
        var failure: String?
    }

    /// The state that the thread and the event loop share.
    private final class Shared: Sendable {
        let progress = Mutex(Progress())
        let isStopping = Mutex(false)

        func shouldContinue(at position: Position) -> Bool {
            progress.withLock { progress in
                progress.position = position
                progress.steps += 1
            }
            return !isStopping.withLock { $0 }
        }

        func found(_ flaw: String) {
            progress.withLock { progress in
                progress.flawCount += 1
                if progress.flaws.count < HostLimits.flaws { progress.flaws.append(flaw) }
            }
        }

        func end(failure: String? = nil) {
            progress.withLock { progress in
                progress.failure = failure
                progress.isDone = true
            }
        }
    }

    private let open: @Sendable () throws -> [any LogReader]
    private let shared = Shared()
    private var worker: Worker?

    init(open: @escaping @Sendable () throws -> [any LogReader]) {
        self.open = open
    }

    /// Starts a check, unless one is running. Throws if there is no thread for it.
    func begin() throws(SystemError) {
        guard worker == nil || shared.progress.withLock({ $0.isDone }) else { return }
        worker?.join()
        worker = nil
        shared.progress.withLock { $0 = Progress() }
        let (open, shared) = (open, shared)
        worker = try Worker(name: "index") {
            do {
                guard let reader = try open().compactMap({ $0 as? any IndexVerifier }).first else {
                    return shared.end(failure: "there is none")
                }
                try reader.indexFlaws(shared.shouldContinue, shared.found)
                shared.end()
            } catch let damage as LogFailure where !damage.isAway {
                shared.found("\(damage)")
                shared.end()
            } catch {
                shared.end(failure: "\(error)")
            }
        }
    }

    /// The progress, and the result once the check is done.
    var answer: Response {
        let progress = shared.progress.withLock { $0 }
        return .made { json in
            json.field("begun", worker != nil)
            json.field("position", progress.position)
            json.field("steps", progress.steps)
            json.field("done", progress.isDone)
            json.field("flaw", ifPresent: progress.flaws.first)
            json.field("flaws", progress.flaws)
            json.field("flawCount", progress.flawCount)
            json.field("failure", ifPresent: progress.failure)
        }
    }

    /// Stops the check and waits for its thread.
    func stop() {
        shared.isStopping.withLock { $0 = true }
        worker?.join()
    }
}
