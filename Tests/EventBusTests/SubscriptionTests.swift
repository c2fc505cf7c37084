import EventSourcing
import Testing
import Vocabulary
import Wire

@testable import EventBus

@Suite("Rules of a subscription")
struct FollowingRulesTests {
    private let journal: ArrayJournal
    private let peer: [UInt8] = [1]

    init() throws {
        journal = try ArrayJournal()
        journal.write(count: 9)
    }

    private func announced(_ checkpoint: Checkpoint? = nil) -> Subscription {
        var subscription = Subscription(feed: journal.feed, after: checkpoint, peer: nil, at: 0)
        _ = subscription.announced(peer, journal.head, at: 0)
        return subscription
    }

    private func page(_ range: ClosedRange<Int>, head: Head? = nil) -> (PageHeader, [Entry]) {
        let entries = Array(journal.entries[(range.lowerBound - 1)..<range.upperBound])
        let start = range.lowerBound == 1 ? Chain.start(feed: journal.feed, epoch: Epoch(0xE1)) : nil
        let header = PageHeader(
            head: head ?? journal.head, first: UInt64(range.lowerBound), count: entries.count, start: start)
        return (header, entries)
    }

    @Test func `no page is requested before the feed is announced`() {
        var subscription = Subscription(feed: "hub", after: nil, peer: nil, at: 0)
        #expect(subscription.ask(at: 9_000_000) { 1 } == nil)
        #expect(subscription.nextDeadline == nil)
    }

    @Test func `a page that does not arrive is requested again after 1, 2, 4 and 4 seconds`() {
        var subscription = announced()
        var asked: [Int64] = []
        var requests: Set<UInt64> = []
        for now in stride(from: Int64(0), through: 16_000_000, by: 100_000) {
            if let message = subscription.ask(at: now, numbering: { UInt64(now) + 1 }) {
                asked.append(now / 1_000_000)
                requests.insert(message.request)
            }
        }
        #expect(asked == [0, 1, 3, 7, 11, 15])
        #expect(requests == [1])
    }

    @Test func `a subscriber that has everything requests a page only after three seconds of silence`() throws {
        var subscription = announced()
        _ = subscription.ask(at: 0) { 1 }
        let (header, entries) = page(1...10)
        #expect(try subscription.accept(header, entries, at: 10).count == 2)
        subscription.taken(through: 10)
        #expect(subscription.ask(at: 2_999_999) { 2 } == nil)
        #expect(subscription.updateHead(journal.head, at: 1_000_000).isEmpty)
        #expect(subscription.ask(at: 3_500_000) { 2 } == nil)
        #expect(subscription.nextDeadline == 4_000_000)
        #expect(subscription.ask(at: 4_000_000) { 2 }?.request == 2)
    }

    @Test func `only the response to the pending request from its own server is accepted`() throws {
        var subscription = announced()
        _ = subscription.ask(at: 0) { 7 }
        #expect(subscription.awaits(7, from: peer))
        #expect(!subscription.awaits(6, from: peer))
        #expect(!subscription.awaits(7, from: [2]))
        let (header, entries) = page(1...4)
        _ = try subscription.accept(header, entries, at: 0)
        #expect(!subscription.awaits(7, from: peer))
        // A new connection needs a new request.
        _ = subscription.ask(at: 0) { 8 }
        #expect(subscription.awaits(8, from: peer))
        _ = subscription.announced([3], journal.head, at: 0)
        #expect(!subscription.awaits(8, from: [3]))
        #expect(subscription.ask(at: 0) { 9 }?.request == 9)
    }

    @Test func `a page that contradicts its header is dropped and requested again`() throws {
        var subscription = announced()
        _ = subscription.ask(at: 0) { 1 }
        let (good, entries) = page(1...10)
        let behind = Head(feed: good.head.feed, epoch: good.head.epoch, position: 4, hash: entries[3].hash)
        let bad: [(PageHeader, [Entry])] = [
            (PageHeader(head: behind, first: 1, count: 10, start: good.start), entries),
            (PageHeader(head: good.head, first: 0, count: 10, start: good.start), entries),
            (PageHeader(head: good.head, first: 1, count: 0, start: good.start), []),
            (PageHeader(head: good.head, first: 1, count: 10, start: nil), entries),
        ]
        for (header, entries) in bad {
            #expect(throws: BusAnomaly.self) { try subscription.accept(header, entries, at: 0) }
        }
        #expect(subscription.awaits(1, from: peer) && subscription.position == 0 && !subscription.isStopped)
        #expect(try subscription.accept(good, entries, at: 0).count == 2)
    }

    @Test func `a chain that begins as another feed's chain stops the subscription`() throws {
        var subscription = announced()
        _ = subscription.ask(at: 0) { 1 }
        let (good, entries) = page(1...10)
        let header = PageHeader(
            head: good.head, first: 1, count: 10, start: Chain.start(feed: "hub", epoch: Epoch(0xE1)))
        #expect(try subscription.accept(header, entries, at: 0) == [.stopped(feed: journal.feed, .diverged(0))])
    }

    @Test func `a head with the known position and another hash causes a page request`() throws {
        var subscription = announced()
        _ = subscription.ask(at: 0) { 1 }
        let (header, entries) = page(1...10)
        _ = try subscription.accept(header, entries, at: 0)
        let other = Head(
            feed: journal.feed, epoch: journal.head.epoch, position: 10, hash: [UInt8](repeating: 0, count: 32))
        #expect(subscription.updateHead(other, at: 0).isEmpty)
        #expect(subscription.ask(at: 0) { 2 } != nil)
        let refusal = PageRejection(feed: journal.feed, reason: .diverged, head: other)
        #expect(try subscription.accept(refusal, at: 0) == [.stopped(feed: journal.feed, .diverged(10))])
        #expect(subscription.ask(at: 9_000_000) { 3 } == nil)
    }

    @Test func `no page is requested with four pages untaken, not even after silence`() throws {
        var subscription = announced()
        for number in 1...4 {
            #expect(subscription.ask(at: 0, numbering: { UInt64(number) }) != nil)
            let (header, entries) = page(number * 2 - 1...number * 2)
            _ = try subscription.accept(header, entries, at: 0)
        }
        #expect(subscription.untakenPages == 4)
        #expect(subscription.ask(at: 60_000_000) { 5 } == nil)
        #expect(subscription.nextDeadline == nil)
        subscription.taken(through: 1)
        #expect(subscription.ask(at: 60_000_000) { 5 } == nil)
        subscription.taken(through: 2)
        #expect(subscription.ask(at: 60_000_000) { 5 } != nil)
    }
}
