import EventSourcing
import Testing

@testable import EventBus

@Suite("The cursor of a subscriber")
struct SubscriberCursorTests {
    private func head(_ position: Position, epoch: UInt64 = 1) -> Head {
        Head(feed: "hub", epoch: Epoch(epoch), position: position, hash: [UInt8](repeating: 0, count: 32))
    }

    @Test func `a subscriber is notified once until it requests a page`() {
        var watch = SubscriberCursor()
        watch.told(head(4), isAll: true)
        let first = [watch.rings(head(5)), watch.rings(head(6))]
        watch.asked()
        let second = watch.rings(head(6))
        watch.told(head(6), isAll: true)
        let third = watch.rings(head(7))
        #expect(first == [true, false])
        #expect(!second)
        #expect(third)
    }

    @Test func `a subscriber is not notified while it lacks entries, because it requests them by itself`() {
        var watch = SubscriberCursor()
        watch.asked()
        watch.told(head(9), isAll: false)
        let (waits, rings) = (watch.isWaiting, watch.rings(head(10)))
        watch.asked()
        watch.told(head(10), isAll: true)
        let (waitsThen, ringsThen) = (watch.isWaiting, watch.rings(head(11)))
        #expect(!waits && !rings)
        #expect(waitsThen && ringsThen)
    }

    @Test func `a subscriber is notified only of heads that no page has announced`() {
        var watch = SubscriberCursor()
        let first = watch.rings(head(5))
        watch.asked()
        watch.told(head(7), isAll: true)
        let second = [watch.rings(head(6)), watch.rings(head(7)), watch.rings(head(8))]
        #expect(first)
        #expect(second == [false, false, true])
    }

    @Test func `a subscriber is notified of another epoch at any position`() {
        var watch = SubscriberCursor()
        watch.told(head(9), isAll: true)
        let isRung = watch.rings(head(3, epoch: 2))
        #expect(isRung)
    }
}
