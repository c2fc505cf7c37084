import EventSourcing
import Testing
import ZeroMQ

@testable import EventBus

@Suite("Feeds that cannot be continued", .serialized)
struct StoppingFeedsTests {
    @Test(arguments: Direction.allCases, [1, 2, 511, 512, 513, 900] as [Position])
    func `a subscription stops before a changed byte`(direction: Direction, position: Position) throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        journal.damage(at: position)
        let (link, server) = try served(journal, direction)
        let reading = try link.reading()
        #expect(try reading.run { !$0.stops.isEmpty })
        #expect(reading.stops == [.diverged(position)])
        #expect(reading.list.entries.allSatisfy { $0.position < position })
        #expect(reading.subscriber.status(journal.feed)?.isStopped == true)
        server.stop()
    }

    @Test func `a subscriber that ignores hashes accepts a changed byte`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let whole = journal.entries
        journal.damage(at: 700)
        let (link, server) = try served(journal, .subscriberDials)
        let naive = try NaiveSubscriber(journal.feed, at: link.endpoint, link.context)
        #expect(try naive.run(through: 1_000))
        #expect(naive.list.problem(against: whole) == "another event at 700")
        server.stop()
    }

    @Test func `a subscription stops at a new epoch, where one that ignores epochs mixes two histories`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let (link, server) = try served(journal, .subscriberDials)
        let (reading, naive) = (
            try link.reading(), try NaiveSubscriber(journal.feed, at: link.endpoint, link.context, ignoringEpochs: true)
        )
        #expect(try reading.run(through: 1_000))
        #expect(try naive.run(through: 1_000))
        journal.restore(keeping: 999, as: 0xE2)
        journal.write(count: 500)
        server.notify(journal.head)
        #expect(try reading.run { !$0.stops.isEmpty })
        #expect(reading.list.entries.count == 1_000)
        #expect(try naive.run(through: 1_500))
        #expect(naive.list.problem(against: journal.entries) == "another event at 1000")
        server.stop()
    }

    @Test func `a subscription stops before a missing entry, where a naive subscriber continues`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let whole = journal.entries
        journal.remove(at: 700)
        let (link, server) = try served(journal, .subscriberDials)
        let reading = try link.reading()
        #expect(try reading.run { !$0.stops.isEmpty })
        #expect(reading.stops == [.hole(700)])
        #expect(reading.list.entries == Array(whole[..<699]))
        let naive = try NaiveSubscriber(journal.feed, at: link.endpoint, link.context)
        #expect(try naive.run(through: 1_000))
        #expect(naive.list.problem(against: whole) == "position 701 at 700")
        server.stop()
    }

    @Test(arguments: Direction.allCases)
    func `a subscription continues in a new epoch that retains what was read`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let (link, server) = try served(journal, direction)
        let first = journal.entries[..<600]
        let checkpoint = try #require(first.last.map { Checkpoint(epoch: Epoch(0xE1), position: 600, hash: $0.hash) })
        // The restore ends after the checkpoint, and then at it.
        for kept in [700, 600] as [Position] {
            journal.restore(keeping: kept, as: 0xE2 + kept)
            journal.write(count: 50)
            let reading = try link.reading(after: checkpoint)
            #expect(try reading.run(through: kept + 51))
            #expect(first + reading.list.entries == journal.entries)
            #expect(reading.heads.last?.epoch == Epoch(0xE2 + kept))
            #expect(reading.stops.isEmpty)
            if direction == .serverDials { break }
        }
        server.stop()
    }

    @Test(arguments: Direction.allCases)
    func `a subscription stops at a new epoch that does not retain what was read`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let (link, server) = try served(journal, direction)
        let reading = try link.reading()
        #expect(try reading.run(through: 1_000))
        journal.restore(keeping: 999, as: 0xE2)
        journal.write(count: 500)
        server.notify(journal.head)
        #expect(try reading.run { !$0.stops.isEmpty })
        #expect(reading.stops == [.unknownEpoch(journal.head)])
        #expect(reading.list.entries.count == 1_000)
        // After an operator accepted it, the subscription continues where both histories agree.
        let agreed = journal.entries[998]
        try reading.subscriber.resume(
            journal.feed, after: Checkpoint(epoch: Epoch(0xE1), position: 999, hash: agreed.hash))
        reading.list = TakenList()
        if direction == .serverDials { server.notify(journal.head) }
        #expect(try reading.run(through: journal.head.position))
        #expect(reading.list.entries == Array(journal.entries[999...]))
        server.stop()
    }

    @Test func `a subscription stops if another journal has the same name`() throws {
        let old = try ArrayJournal()
        old.write(count: 99)
        let checkpoint = Checkpoint(epoch: old.head.epoch, position: 100, hash: old.head.hash)
        let journal = try ArrayJournal(epoch: 0xF0)
        journal.write(count: 20)
        let (link, server) = try served(journal, .subscriberDials)
        let reading = try link.reading(after: checkpoint)
        #expect(try reading.run { !$0.stops.isEmpty })
        #expect(reading.stops == [.unknownEpoch(journal.head)])
        server.stop()
    }

    @Test func `a subscription stops if the journal lost its end without a new epoch`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 99)
        let (link, server) = try served(journal, .subscriberDials)
        let reading = try link.reading()
        #expect(try reading.run(through: 100))
        journal.lose(behind: 60)
        server.notify(journal.head)
        #expect(try reading.run { !$0.stops.isEmpty })
        #expect(reading.stops == [.beyondHead(journal.head)])
        // Other events at the same positions also stop it.
        journal.write(count: 100)
        let again = try link.reading(
            after: Checkpoint(epoch: journal.head.epoch, position: 100, hash: reading.list.entries[99].hash))
        #expect(try again.run { !$0.stops.isEmpty })
        #expect(again.stops == [.diverged(100)])
        server.stop()
    }

    @Test func `a journal is read from its beginning through all its epochs`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 99)
        journal.restore(keeping: 80, as: 0xE2)
        journal.write(count: 30)
        journal.restore(keeping: 100, as: 0xE3)
        journal.write(count: 10)
        let (link, server) = try served(journal, .subscriberDials)
        let reading = try link.reading()
        #expect(try reading.run(through: 111))
        #expect(reading.list.entries == journal.entries)
        server.stop()
    }

    private func served(_ journal: ArrayJournal, _ direction: Direction) throws -> (Link, FeedServer) {
        let link = try Link(direction, over: .ipc, journal)
        return (link, try link.server())
    }
}
