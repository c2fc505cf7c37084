import EventSourcing
import Synchronization
import Testing
import ZeroMQ

@testable import EventBus

@Suite("The bell of a feed server")
struct FeedWakeupTests {
    private func isReadable(_ wakeup: FeedWakeup) throws -> Bool {
        var poller = Poller()
        _ = poller.add(descriptor: wakeup.descriptor)
        return try !poller.wait(milliseconds: 0).isEmpty
    }

    @Test func `wakes nobody for heads that nobody waits for, and keeps them for whoever does then`() throws {
        let (wakeup, journal) = (try FeedWakeup(), try ArrayJournal())
        wakeup.ring(journal.head)
        #expect(try !isReadable(wakeup))

        wakeup.expect(true)
        #expect(try isReadable(wakeup))
        #expect(wakeup.look().heads == [journal.head])
        #expect(try !isReadable(wakeup))

        wakeup.ring(journal.head)
        #expect(try isReadable(wakeup))
        #expect(wakeup.look().heads == [journal.head])

        wakeup.expect(false)
        wakeup.ring(journal.head)
        #expect(try !isReadable(wakeup))
        wakeup.stop()
        #expect(try isReadable(wakeup))
    }

    @Test(arguments: Direction.allCases)
    func `is heard by whoever comes just before something is written`(direction: Direction) throws {
        let journal = try ArrayJournal()
        let link = try Link(direction, over: .ipc, journal)
        // A heartbeat, or the reader's impatience, would tell what a ring did not.
        let server = try link.server(heartbeat: 3_600_000_000)
        let written = Mutex(false)
        journal.interrupt {
            journal.write(Counted(number: 1))
            server.ring(journal.head)
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
