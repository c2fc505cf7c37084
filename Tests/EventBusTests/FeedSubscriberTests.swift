import EventSourcing
import Foundation
import Testing
import ZeroMQ

@testable import EventBus

@Suite("Subscriptions", .serialized)
struct FollowingFeedsTests {
    @Test(arguments: Direction.allCases, Transport.allCases)
    func `a feed arrives whole and in order, from either side`(direction: Direction, transport: Transport) throws {
        let journal = try ArrayJournal()
        journal.write(count: 9_999)
        let link = try Link(direction, over: transport, journal)
        let server = try link.server()
        let reading = try link.reading()
        let clock = MonotonicClock()
        #expect(try reading.run(through: 10_000))
        let seconds = Double(clock.microseconds) / 1_000_000
        print("followed 10000 events, \(direction) over \(transport): \(Int(10_000 / seconds)) events/s")
        #expect(reading.list.entries == journal.entries)
        #expect(reading.stops.isEmpty)
        #expect(try reading.run { !$0.heads.isEmpty })
        #expect(reading.heads == [journal.head])
        #expect(server.counts.total == 0)
        server.stop()
    }

    @Test(arguments: Direction.allCases)
    func `a subscription resumes at a checkpoint`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let kept = journal.entries[699]
        let checkpoint = Checkpoint(epoch: journal.head.epoch, position: kept.position, hash: kept.hash)
        let link = try Link(direction, over: .ipc, journal)
        let server = try link.server()
        let reading = try link.reading(after: checkpoint)
        #expect(try reading.run(through: 1_000))
        #expect(reading.list.entries == Array(journal.entries[700...]))
        server.stop()
    }

    @Test(arguments: Direction.allCases)
    func `a new event reaches a subscriber at once`(direction: Direction) throws {
        let journal = try ArrayJournal()
        let link = try Link(direction, over: .ipc, journal)
        let server = try link.server()
        let reading = try link.reading()
        #expect(try reading.run(through: 1))
        let clock = MonotonicClock()
        var latencies: [Int64] = []
        for number in 0..<500 {
            let start = clock.microseconds
            journal.write(Counted(number: number))
            server.notify(journal.head)
            #expect(try reading.run(through: journal.head.position))
            latencies.append(clock.microseconds - start)
        }
        latencies.sort()
        print("live tail, \(direction): p50 \(latencies[250]) µs, p99 \(latencies[495]) µs, 500 events")
        #expect(reading.list.problem(against: journal.entries) == nil)
        // A lost notification would cost a heartbeat, which is a second.
        #expect(latencies[495] < 500_000)
        server.stop()
    }

    @Test func `a head that only a duplicate page announced is requested`() throws {
        let journal = try ArrayJournal()
        let link = try Link(.subscriberDials, over: .ipc, journal)
        let server = try Socket(.router, in: link.context)
        try server.bind(link.endpoint)
        let reading = try link.reading()
        var pageSource = PageSource { [journal.reader()] }

        func nextRequest() throws -> (peer: [UInt8], message: Message, asked: PageRequest) {
            var frames: [[UInt8]] = []
            #expect(
                try reading.run { _ in
                    frames = (try? server.receive()) ?? []
                    return !frames.isEmpty
                })
            let message = try Message(frames.dropFirst())
            return (frames[0], message, try FeedHeader.parse(message.header, PageRequest.init(header:)))
        }

        let (peer, message, asked) = try nextRequest()
        // The subscriber's clock stands still, so no timeout causes a request.
        reading.freeze()
        let subscriber = PageSource.Subscriber(line: 0, peer: peer)
        let first = pageSource.answer(asked, request: message.request, from: subscriber, at: 0).message
        journal.write(Counted(number: 1))
        let second = pageSource.answer(asked, request: message.request, from: subscriber, at: 0).message
        for answer in [first, second] { #expect(try server.send([peer] + answer.frames)) }
        #expect(try reading.run(through: 1))
        #expect(try nextRequest().asked.after?.position == 1)
        #expect(reading.subscriber.counts[.stalePage] == 1)
    }

    @Test(arguments: Direction.allCases)
    func `a subscriber keeps up with a writer that notifies without a pause`(direction: Direction) throws {
        let journal = try ArrayJournal()
        let link = try Link(direction, over: .ipc, journal)
        // There are no heartbeats and no timeouts: the notifications alone have to suffice.
        let server = try link.server(heartbeat: 3_600_000_000)
        let reading = try link.reading()
        #expect(try reading.run { !$0.heads.isEmpty })
        reading.freeze()
        let writer = Thread {
            for number in 0..<5_000 {
                journal.write(Counted(number: number))
                server.notify(journal.head)
            }
        }
        writer.start()
        #expect(try reading.run(through: 5_001))
        #expect(reading.list.entries == journal.entries)
        #expect(server.counts.total == 0)
        server.stop()
    }

    @Test func `a lost head notification is repaired by the next heartbeat`() throws {
        let journal = try ArrayJournal()
        let link = try Link(.serverDials, over: .ipc, journal)
        let server = try link.server(heartbeat: 50_000)
        let reading = try link.reading()
        #expect(try reading.run(through: 1))
        journal.write(count: 10)
        // No notification is sent.
        #expect(try reading.run(seconds: 5, through: 11))
        server.stop()
    }

    @Test func `a server announces its feeds, and a subscriber to all of them receives each`() throws {
        let journals = try ["sensor-ingest/farm-0", "sensor-ingest/farm-1", "trace-ledger/farm-0"].map {
            try ArrayJournal($0)
        }
        for journal in journals { journal.write(count: 100) }
        let context = try Context()
        let endpoint = try Transport.ipc.fresh(context)
        let server = try FeedServer(
            context: context, bind: endpoint, dial: [], open: { journals.map { $0.reader() } })
        let subscriber = try FeedSubscriber(context: context, bind: nil, dial: endpoint)
        subscriber.followAll { _ in nil }
        let reading = Reading(subscriber)
        #expect(try reading.run { $0.heads.count == 3 })
        #expect(subscriber.subscribed == journals.map(\.feed))
        #expect(reading.list.entries.count == 303)
        for journal in journals {
            let status = try #require(subscriber.status(journal.feed))
            #expect(status.behind == 0)
            #expect(status.delivered?.position == 101)
        }
        #expect(try reading.run { _ in server.subscriptions == 3 })
        server.stop()
    }

    @Test func `one subscriber receives the feeds of several servers that dial its address`() throws {
        let journals = try (0..<4).map { try ArrayJournal("sensor-ingest/barn-\($0)") }
        for journal in journals { journal.write(count: 600) }
        let context = try Context()
        let endpoint = try Transport.tcp.fresh(context)
        let servers = try journals.map { journal in
            try FeedServer(context: context, bind: nil, dial: [endpoint], open: { [journal.reader()] })
        }
        let subscriber = try rebinding { try FeedSubscriber(context: context, bind: endpoint, dial: nil) }
        subscriber.followAll { _ in nil }
        let reading = Reading(subscriber)
        #expect(try reading.run { $0.heads.count == 4 })
        for journal in journals {
            let pages = reading.updates.compactMap { updates -> Page? in
                if case .page(let page) = updates, page.head.feed == journal.feed { page } else { nil }
            }
            #expect(pages.flatMap(\.entries) == journal.entries)
        }
        for server in servers { server.stop() }
    }

    @Test func `a subscriber admits only a process that may serve the feed`() throws {
        let journal = try ArrayJournal()
        let link = try Link(.serverDials, over: .ipc, journal)
        let server = try link.server(heartbeat: 20_000)
        let reading = try link.reading()
        reading.subscriber.admit { feed, user in user == feed }
        #expect(try reading.run { $0.subscriber.counts[.notAdmitted] > 3 })
        #expect(reading.updates.isEmpty)
        reading.subscriber.admit { _, _ in true }
        #expect(try reading.run(through: 1))
        server.stop()
    }

    @Test func `a subscription waits while the journal cannot be read, and then continues by itself`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 2_000)
        let link = try Link(.subscriberDials, over: .ipc, journal)
        let server = try link.server()
        let reading = try link.reading(speed: 10)
        #expect(try reading.run { $0.pages == 1 })
        journal.fail(true)
        #expect(try reading.run { $0.subscriber.counts[.refusedForNow] > 0 })
        #expect(try reading.run { _ in server.failure?.message == "the disk is gone" })
        journal.fail(false)
        #expect(try reading.run(through: 2_001))
        #expect(reading.list.entries == journal.entries)
        #expect(try reading.run { _ in server.failure == nil })
        server.stop()
    }
}
