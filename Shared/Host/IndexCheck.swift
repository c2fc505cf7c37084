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
        /// What does not hold, the first ones of it, and how much of it there is.
        var flaws: [String] = []
        var flawCount = 0
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

    /// Begins anew, unless a look goes on.
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

    /// How far it is, and what was found once it is done.
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

    /// Waits until the thread has ended its piece of work.
    func stop() {
        shared.isStopping.withLock { $0 = true }
        worker?.join()
    }
}
