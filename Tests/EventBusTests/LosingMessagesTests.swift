import EventSourcing
import Foundation
import Testing
import ZeroMQ

@testable import EventBus

@Suite("Subscriptions over an unreliable connection", .serialized)
struct LosingMessagesTests {
    @Test(arguments: Direction.allCases, [1, 2, 3] as [UInt64])
    func `every event arrives once and in order although a fifth of all messages is lost`(
        direction: Direction, seed: UInt64
    ) throws {
        let journal = try ArrayJournal()
        journal.write(count: 6_000)
        let link = try Link(direction, over: .ipc, journal)
        let far = try Transport.ipc.fresh(link.context)
        let wire = try LossyWire(link.context, from: link.endpoint, to: far, dropping: 0.2, doubling: 0.1, seed: seed)
        let server = try link.server(heartbeat: 20_000, at: direction == .subscriberDials ? far : nil)
        let reading = try link.reading(speed: 20, at: direction == .serverDials ? far : nil)
        #expect(try reading.run(through: 6_001))
        for number in 0..<200 {
            journal.write(Counted(number: number))
            server.notify(journal.head)
            if number.isMultiple(of: 20) { #expect(try reading.run(through: journal.head.position)) }
        }
        #expect(try reading.run(through: 6_201))
        #expect(reading.list.entries == journal.entries)
        #expect(reading.stops.isEmpty)
        wire.cut()
        let tally = wire.counts
        print("\(direction), seed \(seed): \(tally), \(reading.subscriber.counts[.stalePage]) stale pages dropped")
        #expect(tally.dropped >= 10 && tally.doubled >= 3)
        server.stop()
    }

    @Test func `a subscriber that accepts every page has events twice`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 3_000)
        let link = try Link(.subscriberDials, over: .ipc, journal)
        let far = try Transport.ipc.fresh(link.context)
        let wire = try LossyWire(link.context, from: link.endpoint, to: far, dropping: 0, doubling: 0.4, seed: 4)
        let server = try link.server(at: far)
        let naive = try NaiveSubscriber(journal.feed, at: link.endpoint, link.context)
        #expect(try naive.run(through: 3_001))
        #expect(naive.list.problem(against: journal.entries) != nil)
        wire.cut()
        server.stop()
    }

    @Test(arguments: Direction.allCases)
    func `a subscription continues after its server restarts`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 3_000)
        let link = try Link(direction, over: .tcp, journal)
        var server = try link.server()
        let reading = try link.reading(speed: 5)
        for round in 1...3 {
            #expect(try reading.run { $0.pages >= round * 2 })
            server.stop()
            journal.write(count: 500)
            server = try link.server()
        }
        #expect(try reading.run(through: 4_501))
        #expect(reading.list.entries == journal.entries)
        #expect(try reading.run { $0.heads.last == journal.head })
        // The subscriber has everything and requests nothing, but the next server must learn of it.
        server.stop()
        server = try link.server()
        journal.write(count: 5)
        #expect(try reading.run(through: 4_506))
        server.stop()
    }

    @Test(arguments: Direction.allCases)
    func `a subscriber that restarts resumes at its checkpoint`(direction: Direction) throws {
        let journal = try ArrayJournal()
        journal.write(count: 3_000)
        let link = try Link(direction, over: .tcp, journal)
        let server = try link.server()
        var entries: [Entry] = []
        while entries.count < 3_001 {
            let checkpoint = entries.last.map {
                Checkpoint(epoch: journal.head.epoch, position: $0.position, hash: $0.hash)
            }
            let reading = try link.reading(after: checkpoint)
            #expect(try reading.run { $0.pages > 0 })
            entries += reading.list.entries
        }
        #expect(entries == journal.entries)
        server.stop()
    }
}
