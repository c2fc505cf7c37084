import EventSourcing
import Synchronization
import Testing
import ZeroMQ

@testable import EventBus

@Suite("Head notifications from other threads")
struct FeedWakeupTests {
    private func isReadable(_ wakeup: FeedWakeup) throws -> Bool {
        var poller = Poller()
        _ = poller.add(descriptor: wakeup.descriptor)
        return try !poller.wait(milliseconds: 0).isEmpty
    }

    @Test func `a head wakes the thread only while a subscription waits, and is delivered once one does`() throws {
        let (wakeup, journal) = (try FeedWakeup(), try ArrayJournal())
        wakeup.notify(journal.head)
        #expect(try !isReadable(wakeup))

        wakeup.expect(true)
        #expect(try isReadable(wakeup))
        #expect(wakeup.look().heads == [journal.head])
        #expect(try !isReadable(wakeup))

        wakeup.notify(journal.head)
        #expect(try isReadable(wakeup))
        #expect(wakeup.look().heads == [journal.head])

        wakeup.expect(false)
        wakeup.notify(journal.head)
        #expect(try !isReadable(wakeup))
        wakeup.stop()
        #expect(try isReadable(wakeup))
    }

    @Test(arguments: Direction.allCases)
    func `a head written right after a page was read still reaches its subscriber`(direction: Direction) throws {
        let journal = try ArrayJournal()
        let link = try Link(direction, over: .ipc, journal)
        // No heartbeat and no timeout of the subscriber can replace the notification.
        let server = try link.server(heartbeat: 3_600_000_000)
        let written = Mutex(false)
        journal.interrupt {
            journal.write(Counted(number: 1))
            server.notify(journal.head)
            written.withLock { $0 = true }
        }
        let reading = try link.reading()
        #expect(try reading.run(through: 1))
        reading.freeze()
        #expect(try reading.run(through: 2))
        #expect(written.withLock { $0 })
        server.stop()
    }
}
