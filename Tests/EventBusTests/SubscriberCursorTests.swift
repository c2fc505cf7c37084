import EventSourcing
import Testing

@testable import EventBus

@Suite("The cursor of a subscriber")
struct SubscriberCursorTests {
    private func head(_ position: Position, epoch: UInt64 = 1) -> Head {
        Head(feed: "hub", epoch: Epoch(epoch), position: position, hash: [UInt8](repeating: 0, count: 32))
    }

    @Test func `a subscriber is notified once until it requests a page`() {
        var cursor = SubscriberCursor()
        cursor.announced(head(4), isAll: true)
        let first = [cursor.shouldNotify(head(5)), cursor.shouldNotify(head(6))]
        cursor.asked()
        let second = cursor.shouldNotify(head(6))
        cursor.announced(head(6), isAll: true)
        let third = cursor.shouldNotify(head(7))
        #expect(first == [true, false])
        #expect(!second)
        #expect(third)
    }

    @Test func `a subscriber is not notified while it lacks entries, because it requests them by itself`() {
        var cursor = SubscriberCursor()
        cursor.asked()
        cursor.announced(head(9), isAll: false)
        let (waits, shouldNotify) = (cursor.isWaiting, cursor.shouldNotify(head(10)))
        cursor.asked()
        cursor.announced(head(10), isAll: true)
        let (waitsThen, ringsThen) = (cursor.isWaiting, cursor.shouldNotify(head(11)))
        #expect(!waits && !shouldNotify)
        #expect(waitsThen && ringsThen)
    }

    @Test func `a subscriber is notified only of heads that no page has announced`() {
        var cursor = SubscriberCursor()
        let first = cursor.shouldNotify(head(5))
        cursor.asked()
        cursor.announced(head(7), isAll: true)
        let second = [cursor.shouldNotify(head(6)), cursor.shouldNotify(head(7)), cursor.shouldNotify(head(8))]
        #expect(first)
        #expect(second == [false, false, true])
    }

    @Test func `a subscriber is notified of another epoch at any position`() {
        var cursor = SubscriberCursor()
        cursor.announced(head(9), isAll: true)
        let isRung = cursor.shouldNotify(head(3, epoch: 2))
        #expect(isRung)
    }
}
