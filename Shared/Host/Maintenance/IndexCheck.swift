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
    private struct Look: Sendable {
        var position: Position = 0
        /// Increases with every piece of work.
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
        let look = Mutex(Look())
        let isStopping = Mutex(false)

        func goesOn(at position: Position) -> Bool {
            look.withLock { look in
                look.position = position
                look.steps += 1
            }
            return !isStopping.withLock { $0 }
        }

        func found(_ flaw: String) {
            look.withLock { look in
                look.flawCount += 1
                if look.flaws.count < HostLimits.flaws { look.flaws.append(flaw) }
            }
        }

        func end(failure: String? = nil) {
            look.withLock { look in
                look.failure = failure
                look.isDone = true
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
        guard worker == nil || shared.look.withLock({ $0.isDone }) else { return }
        worker?.join()
        worker = nil
        shared.look.withLock { $0 = Look() }
        let (open, shared) = (open, shared)
        worker = try Worker(name: "index") {
            do {
                guard let reader = try open().compactMap({ $0 as? any IndexVerifier }).first else {
                    return shared.end(failure: "there is none")
                }
                try reader.indexFlaws(shared.goesOn, shared.found)
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
        let look = shared.look.withLock { $0 }
        return .made { json in
            json.field("begun", worker != nil)
            json.field("position", look.position)
            json.field("steps", look.steps)
            json.field("done", look.isDone)
            json.field("flaw", ifPresent: look.flaws.first)
            json.field("flaws", look.flaws)
            json.field("flawCount", look.flawCount)
            json.field("failure", ifPresent: look.failure)
        }
    }

    /// Stops the check and waits for its thread.
    func stop() {
        shared.isStopping.withLock { $0 = true }
        worker?.join()
    }
}
