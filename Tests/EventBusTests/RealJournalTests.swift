import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import ZeroMQ

@testable import EventBus

@Suite("Subscriptions of a journal on the disk", .serialized)
struct RealJournalTests {
    private let start = Instant(microseconds: 1_900_000_000_000_000)

    @Test(arguments: Direction.allCases)
    func `a journal on the disk is delivered while it grows and after a restore`(direction: Direction) throws {
        try withTemporaryDirectory { folder in
            let log = try SQLiteLog(directory: folder, feed: "trace-ledger/farm-0", why: "new", at: start)
            try write(700, to: log)
            let context = try Context()
            let endpoint = try Transport.ipc.fresh(context)
            let path = log.path
            let server = try FeedServer(
                context: context, bind: direction == .subscriberDials ? endpoint : nil,
                dial: direction == .serverDials ? [endpoint] : [], open: { [try SQLiteReader(path: path)] })
            let subscriber = try FeedSubscriber(
                context: context, bind: direction == .serverDials ? endpoint : nil,
                dial: direction == .subscriberDials ? endpoint : nil)
            subscriber.followAll { _ in nil }
            let reading = Reading(subscriber)
            #expect(try reading.run(through: 701))
            for _ in 0..<20 {
                try write(5, to: log)
                server.notify(log.head)
            }
            #expect(try reading.run(through: 801))
            try log.beginEpoch(why: "restored", at: start)
            try write(20, to: log)
            server.notify(log.head)
            #expect(try reading.run(through: 822))
            #expect(reading.heads.last == log.head)
            #expect(reading.stops.isEmpty)
            #expect(try reading.list.entries == log.reader().read(from: 1, events: 1_000, bytes: 10_000_000))
            server.stop()
            try log.close()
        }
    }

    @Test func `a checkpoint beyond the journal stops the subscription, up to the largest position`() throws {
        try withTemporaryDirectory { folder in
            let log = try SQLiteLog(directory: folder, feed: "trace-ledger/farm-0", why: "new", at: start)
            let context = try Context()
            let endpoint = try Transport.ipc.fresh(context)
            let path = log.path
            let server = try FeedServer(
                context: context, bind: endpoint, dial: [], open: { [try SQLiteReader(path: path)] })
            for position in [2, 1 << 63 - 1, 1 << 63, .max - 1_000] as [Position] {
                let subscriber = try FeedSubscriber(context: context, bind: nil, dial: endpoint)
                try subscriber.follow(
                    log.head.feed,
                    after: Checkpoint(epoch: log.head.epoch, position: position, hash: log.head.hash))
                let reading = Reading(subscriber)
                #expect(try reading.run { !$0.stops.isEmpty })
                #expect(reading.stops == [.beyondHead(log.head)])
            }
            server.stop()
            try log.close()
        }
    }

    private func write(_ count: Int, to log: SQLiteLog) throws {
        for number in 0..<count {
            _ = try log.stage(Commit([Draft(Noted(number), in: "note/1", by: .service("test"))]), at: start)
        }
        try log.commit()
    }
}
