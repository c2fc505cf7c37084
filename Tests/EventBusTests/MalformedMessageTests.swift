import EventSourcing
import Foundation
import TestKit
import Testing
import ZeroMQ

@testable import EventBus

@Suite("Malformed messages", .serialized)
struct GarbageTests {
    private static let floor = 10_000

    @Test func `a request server drops and counts malformed messages and still responds`() throws {
        let exchange = try Exchange(.tcp)
        try exchange.meet()
        let good = try exchange.ask(key: "k")
        let asked = try exchange.asks(1)
        #expect(asked.count == 1)
        let vandal = try NoiseSender(dialling: exchange.endpoint, exchange.context, seed: 1) { random in
            let entropy = String(repeating: "07", count: 16)
            let header = #"{"verb":"v","actor":"service/x","entropy":"\#(entropy)","deadline":5}"#
            return Message(.asked, request: random.next(), header: Array(header.utf8), payload: [1]).frames
        }
        let requestServer = try #require(exchange.requestServer)
        var taken = 0
        try vandal.send(Self.floor) { taken += try requestServer.receive(limit: 1_000).count }
        #expect(
            try vandal.settle {
                requestServer.counts.total + taken >= vandal.messages
            } again: {
                taken += try requestServer.receive(limit: 1_000).count
            })
        print("desk: \(vandal.messages) messages, \(taken) were asks after all, \(requestServer.counts.all)")
        #expect(requestServer.counts.total >= Self.floor / 2)
        try requestServer.answer(asked[0], Response(status: 200, body: []))
        #expect(try exchange.outcome(good) == .answer(Response(status: 200, body: [])))
    }

    @Test func `a feed server drops and counts malformed messages and still serves pages`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let link = try Link(.subscriberDials, over: .tcp, journal)
        let server = try link.server()
        let checkpoint = Checkpoint(epoch: Epoch(0xE1), position: 10, hash: journal.entries[9].hash)
        let vandal = try NoiseSender(dialling: link.endpoint, link.context, seed: 2) { random in
            let asked = PageRequest(feed: journal.feed, after: Bool.random(using: &random) ? checkpoint : nil)
            return Message(.pageAsked, request: random.next(), header: asked.header).frames
        }
        try vandal.send(Self.floor) { sched_yield() }
        #expect(
            try vandal.settle {
                server.counts.total >= Self.floor / 2
            } again: {
                sched_yield()
            })
        let reading = try link.reading()
        #expect(try reading.run(through: 1_000))
        #expect(reading.list.entries == journal.entries)
        print("feed server: \(vandal.messages) messages, \(server.counts.all)")
        server.stop()
    }

    @Test func `a subscriber drops and counts malformed messages and still receives its feed`() throws {
        let journal = try ArrayJournal()
        journal.write(count: 999)
        let link = try Link(.serverDials, over: .tcp, journal)
        let server = try link.server()
        let reading = try link.reading()
        #expect(try reading.run(through: 1_000))
        let vandal = try NoiseSender(dialling: link.endpoint, link.context, seed: 3) { random in
            let head = Head(
                feed: "sensor-ingest/x-\(Int.random(in: 0..<1_000, using: &random))", epoch: Epoch(random.next()),
                position: random.next(), hash: [UInt8](repeating: 3, count: 32))
            let page = PageHeader(head: head, first: 1, count: 1, start: head.hash)
            return [
                Message(.hello, header: head.header).frames, Message(.notify, header: head.header).frames,
                Message(.page, request: 1, header: page.header, payload: [0, 0]).frames,
                Message(.refused, request: 1, header: PageRejection(feed: head.feed, reason: .diverged).header).frames,
            ].randomElement(using: &random) ?? []
        }
        try vandal.send(Self.floor) { try reading.run { _ in true } }
        journal.write(count: 500)
        server.notify(journal.head)
        #expect(try reading.run { _ in reading.subscriber.counts.total >= Self.floor / 3 })
        #expect(try reading.run(through: 1_500))
        #expect(reading.list.entries == journal.entries)
        #expect(reading.subscriber.subscribed.count <= BusLimits.feeds)
        print("follower: \(vandal.messages) messages, \(reading.subscriber.counts.all)")
        server.stop()
    }
}

/// Sends random frames, and messages with one wrong byte.
final class NoiseSender {
    private let socket: Socket
    private var random: SplitMix64
    private let almost: (inout SplitMix64) -> [[UInt8]]
    private(set) var messages = 0

    init(
        dialling endpoint: String, _ context: Context, seed: UInt64,
        almost: @escaping (inout SplitMix64) -> [[UInt8]]
    ) throws {
        socket = try Socket(.dealer, in: context)
        try socket.connect(endpoint)
        random = SplitMix64(seed: seed)
        self.almost = almost
    }

    func send(_ count: Int, meanwhile: () throws -> Void) throws {
        let goal = messages + count
        let end = Date().addingTimeInterval(60)
        while messages < goal, Date() < end {
            if try socket.send(messages.isMultiple(of: 2) ? noise() : damaged()) { messages += 1 }
            if messages.isMultiple(of: 64) { try meanwhile() }
            while try socket.receive() != nil {}
        }
        #expect(messages == goal)
    }

    func settle(_ done: () -> Bool, again: () throws -> Void) throws -> Bool {
        let end = Date().addingTimeInterval(30)
        while !done(), Date() < end {
            try again()
            while try socket.receive() != nil {}
        }
        return done()
    }

    private func noise() -> [[UInt8]] {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
            (0..<Int.random(in: 0...80, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        }
    }

    private func damaged() -> [[UInt8]] {
        var frames = almost(&random)
        guard let index = frames.indices.randomElement(using: &random) else { return noise() }
        guard let place = frames[index].indices.randomElement(using: &random) else { return frames + [[]] }
        frames[index][place] ^= UInt8.random(in: 1...255, using: &random)
        return frames
    }
}
