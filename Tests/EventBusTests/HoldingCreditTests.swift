import EventSourcing
import Testing
import ZeroMQ

@testable import EventBus

@Suite("The credit of a feed", .serialized)
struct HoldingCreditTests {
    @Test(arguments: Direction.allCases)
    func `a subscriber that does not take its pages receives four`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 5_000)
        let link = try Link(direction, over: .ipc, journal)
        let server = try link.server(heartbeat: 20_000)
        let reading = try link.reading(speed: 20)
        reading.takes = false
        #expect(try !isOverrun(reading))
        #expect(reading.subscriber.status(journal.feed)?.untakenPages == 4)
        // One page is taken, so one more arrives.
        try reading.subscriber.taken(journal.feed, through: 512)
        #expect(try reading.run { $0.pages == 5 })
        #expect(try !reading.run(seconds: 0.2) { $0.pages > 5 })
        reading.takes = true
        try reading.subscriber.taken(journal.feed, through: 5 * 512)
        #expect(try reading.run(through: 5_001))
        #expect(reading.list.entries == journal.entries)
        server.stop()
    }

    /// Returns whether more than four pages reach a subscriber that takes none. In ten seconds of its clock, repeats,
    /// notifications and silence cause no fifth.
    private func isOverrun(_ reading: Reading) throws -> Bool {
        #expect(try reading.run { $0.pages >= BusLimits.pagesOutstanding })
        return try reading.run(seconds: 0.5) { $0.pages > BusLimits.pagesOutstanding }
    }

    @Test(arguments: Direction.allCases)
    func `without a credit limit a subscriber that takes nothing receives everything`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 5_000)
        let link = try Link(direction, over: .ipc, journal)
        let server = try link.server(heartbeat: 20_000)
        let reading = try link.reading(speed: 20, credit: .max)
        reading.takes = false
        #expect(try isOverrun(reading))
        #expect(try reading.run(through: 5_001))
        #expect(reading.subscriber.status(journal.feed)?.untakenPages == 10)
        server.stop()
    }

    @Test func `a subscriber that takes each page at once receives all of them`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 5_000)
        let link = try Link(.subscriberDials, over: .ipc, journal)
        let server = try link.server()
        let reading = try link.reading()
        #expect(try reading.run { $0.pages == 10 })
        #expect(reading.list.entries == journal.entries)
        server.stop()
    }

    @Test func `the credit of one feed is not used up by another`() throws {
        let journals = try (0..<2).map { try ArrayJournal("sensor-ingest/farm-\($0)") }
        for journal in journals { journal.write(count: 3_000) }
        let context = try Context()
        let endpoint = try Transport.ipc.fresh(context)
        let server = try FeedServer(
            context: context, bind: endpoint, dial: [], open: { journals.map { $0.reader() } })
        let subscriber = try FeedSubscriber(context: context, bind: nil, dial: endpoint)
        for journal in journals { try subscriber.follow(journal.feed, after: nil) }
        let reading = Reading(subscriber)
        reading.takes = false
        #expect(try reading.run { $0.pages == 8 })
        // The pages of the first feed stay untaken; those of the second are taken, and it arrives whole.
        try subscriber.taken(journals[1].feed, through: 4 * 512)
        #expect(try reading.run { _ in subscriber.status(journals[1].feed)?.delivered?.position == 3_001 })
        #expect(subscriber.status(journals[0].feed)?.delivered?.position == 4 * 512)
        server.stop()
    }
}
