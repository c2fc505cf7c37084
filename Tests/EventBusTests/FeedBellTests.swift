import EventSourcing
import Synchronization
import Testing
import ZeroMQ

@testable import EventBus

@Suite("The bell of a feed server")
struct FeedBellTests {
    private func isReadable(_ bell: FeedBell) throws -> Bool {
        var poller = Poller()
        _ = poller.add(descriptor: bell.descriptor)
        return try !poller.wait(milliseconds: 0).isEmpty
    }

    @Test func `wakes nobody for heads that nobody waits for, and keeps them for whoever does then`() throws {
        let (bell, journal) = (try FeedBell(), try ArrayJournal())
        bell.ring(journal.head)
        #expect(try !isReadable(bell))

        bell.expect(true)
        #expect(try isReadable(bell))
        #expect(bell.look().heads == [journal.head])
        #expect(try !isReadable(bell))

        bell.ring(journal.head)
        #expect(try isReadable(bell))
        #expect(bell.look().heads == [journal.head])

        bell.expect(false)
        bell.ring(journal.head)
        #expect(try !isReadable(bell))
        bell.stop()
        #expect(try isReadable(bell))
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
