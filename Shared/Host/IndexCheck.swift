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
        var isDone = false
        /// The first thing that is not so, or why it could not be looked at.
        var flaw: String?
    }

    /// What the thread and the loop share.
    private final class Shared: Sendable {
        let look = Mutex(Look())
        let isStopping = Mutex(false)
    }

    private let open: @Sendable () throws -> [any LogReader]
    private let shared = Shared()
    private var worker: Worker?

    init(open: @escaping @Sendable () throws -> [any LogReader]) {
        self.open = open
    }

    /// Begins anew, unless a look goes on.
    func begin() throws {
        if worker != nil, !shared.look.withLock({ $0.isDone }) { return }
        worker?.join()
        shared.look.withLock { $0 = Look() }
        let (open, shared) = (open, shared)
        worker = try Worker(name: "index") {
            let flaw: String?
            do {
                guard let reader = try open().compactMap({ $0 as? any IndexedReader }).first else {
                    throw LogFailure(operation: "check the index", message: "there is none")
                }
                flaw = try reader.indexFlaw { position in
                    shared.look.withLock { $0.position = position }
                    return !shared.isStopping.withLock { $0 }
                }
            } catch {
                flaw = "\(error)"
            }
            shared.look.withLock { look in
                look.flaw = flaw
                look.isDone = true
            }
        }
    }

    /// How far it is, and what was found once it is done.
    var answer: Answer {
        let look = shared.look.withLock { $0 }
        return .made { json in
            json.field("position", look.position)
            json.field("done", look.isDone)
            json.field("flaw", ifPresent: look.flaw)
        }
    }

    /// Waits until the thread has ended, which is soon.
    func stop() {
        shared.isStopping.withLock { $0 = true }
        worker?.join()
    }
}
