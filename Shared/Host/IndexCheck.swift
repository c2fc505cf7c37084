import EventSourcing
import EventStore
import JSON
import Synchronization
import System
import Wire

/// Holds the index of the journal against its bytes when an auditor asks, on a thread of its own. One look at a time:
/// whoever asks meanwhile is told of the one that goes on.
final class IndexCheck {
    /// What a look has come to.
    private struct Look: Sendable {
        var position: Position = 0
        /// Grows with every piece of work.
        var steps = 0
        var isDone = false
        /// The first thing that is not so.
        var flaw: String?
        /// Why it could not be looked at.
        var failure: String?
    }

    /// What the thread and the loop share.
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

        func end(flaw: String? = nil, failure: String? = nil) {
            look.withLock { look in
                (look.flaw, look.failure) = (flaw, failure)
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

    /// Begins anew, unless a look goes on.
    func begin() throws(SystemError) {
        guard worker == nil || shared.look.withLock({ $0.isDone }) else { return }
        worker?.join()
        worker = nil
        shared.look.withLock { $0 = Look() }
        let (open, shared) = (open, shared)
        worker = try Worker(name: "index") {
            do {
                guard let reader = try open().compactMap({ $0 as? any IndexedReader }).first else {
                    return shared.end(failure: "there is none")
                }
                shared.end(flaw: try reader.indexFlaw(shared.goesOn))
            } catch let damage as LogFailure where !damage.isAway {
                shared.end(flaw: "\(damage)")
            } catch {
                shared.end(failure: "\(error)")
            }
        }
    }

    /// How far it is, and what was found once it is done.
    var answer: Answer {
        let look = shared.look.withLock { $0 }
        return .made { json in
            json.field("begun", worker != nil)
            json.field("position", look.position)
            json.field("steps", look.steps)
            json.field("done", look.isDone)
            json.field("flaw", ifPresent: look.flaw)
            json.field("failure", ifPresent: look.failure)
        }
    }

    /// Waits until the thread has ended its piece of work.
    func stop() {
        shared.isStopping.withLock { $0 = true }
        worker?.join()
    }
}
