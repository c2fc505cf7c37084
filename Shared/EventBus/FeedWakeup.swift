import EventSourcing
import Synchronization
import System

/// The messages of other threads to a feed server's thread: new heads, addresses of subscribers, and the stop.
///
/// Heads of the same feed overwrite each other, so a writer that commits continuously causes no more work than one that
/// commits as often as the thread reads. While no subscription waits for a head, the thread is not woken.
final class FeedWakeup: Sendable {
    private struct Announcements {
        var heads: [String: Head] = [:]
        var addresses: [Int: String] = [:]
        var isStopping = false
        var isExpected = false
    }

    private let announcements = Mutex(Announcements())
    private let event: EventFD

    init() throws(SystemError) {
        event = try EventFD()
    }

    /// Readable when there is a message.
    var descriptor: Int32 { event.descriptor }

    /// Sets whether any subscription waits for new heads. If so, heads since the last read wake the thread at once.
    func expect(_ isExpected: Bool) {
        let isDue = announcements.withLock { announcements in
            defer { announcements.isExpected = isExpected }
            return isExpected && !announcements.isExpected && !announcements.heads.isEmpty
        }
        if isDue { event.signal() }
    }

    func notify(_ head: Head) {
        let isFirst = announcements.withLock { announcements in
            defer { announcements.heads[head.feed] = head }
            return announcements.isExpected && announcements.heads.isEmpty
        }
        // The first head has woken the thread, which has not read it yet.
        if isFirst { event.signal() }
    }

    /// Sets the address of the subscriber at an index of the dialled ones.
    func redial(_ place: Int, _ endpoint: String) {
        announcements.withLock { $0.addresses[place] = endpoint }
        event.signal()
    }

    func stop() {
        announcements.withLock { $0.isStopping = true }
        event.signal()
    }

    /// Returns the messages since the last call.
    func look() -> (heads: [Head], addresses: [Int: String], isStopping: Bool) {
        event.drain()
        return announcements.withLock { announcements in
            defer {
                announcements.heads = [:]
                announcements.addresses = [:]
            }
            return (Array(announcements.heads.values), announcements.addresses, announcements.isStopping)
        }
    }
}
