import EventSourcing
import Synchronization
import System

/// What other threads tell a feed server's thread: new heads, addresses of readers, and that it should go.
///
/// Heads of the same feed overwrite each other, so that a writer that commits all the time costs no more than one that
/// commits as often as the thread looks. While nobody waits to be told of them it is not woken at all.
final class FeedWakeup: Sendable {
    private struct Announcements {
        var heads: [String: Head] = [:]
        var addresses: [Int: String] = [:]
        var isStopping = false
        var isExpected = false
    }

    private let told = Mutex(Announcements())
    private let event: EventFD

    init() throws(SystemError) {
        event = try EventFD()
    }

    /// Readable when there is something to look at.
    var descriptor: Int32 { event.descriptor }

    /// Whether anybody waits for new heads; what was rung since the last look is told of at once then.
    func expect(_ isExpected: Bool) {
        let isDue = told.withLock { told in
            defer { told.isExpected = isExpected }
            return isExpected && !told.isExpected && !told.heads.isEmpty
        }
        if isDue { event.signal() }
    }

    func ring(_ head: Head) {
        let isFirst = told.withLock { told in
            defer { told.heads[head.feed] = head }
            return told.isExpected && told.heads.isEmpty
        }
        // Whoever came first has woken the thread, and it has not looked yet.
        if isFirst { event.signal() }
    }

    /// The reader of a dialled line, by its place among them, is at this address now.
    func redial(_ place: Int, _ endpoint: String) {
        told.withLock { $0.addresses[place] = endpoint }
        event.signal()
    }

    func stop() {
        told.withLock { $0.isStopping = true }
        event.signal()
    }

    /// What was told since the last look.
    func look() -> (heads: [Head], addresses: [Int: String], isStopping: Bool) {
        event.drain()
        return told.withLock { told in
            defer {
                told.heads = [:]
                told.addresses = [:]
            }
            return (Array(told.heads.values), told.addresses, told.isStopping)
        }
    }
}
