import EventSourcing
import Testing

@testable import EventBus

@Suite("Who follows a feed")
struct FeedWatchTests {
    private func head(_ position: Position, epoch: UInt64 = 1) -> Head {
        Head(feed: "hub", epoch: Epoch(epoch), position: position, hash: [UInt8](repeating: 0, count: 32))
    }

    @Test func `is rung once until it asks`() {
        var watch = FeedWatch()
        watch.told(head(4))
        let first = [watch.rings(head(5)), watch.rings(head(6))]
        watch.asked()
        let second = watch.rings(head(6))
        #expect(first == [true, false])
        #expect(second)
    }

    @Test func `is not rung for what a page told already, and then is for what is new`() {
        var watch = FeedWatch()
        let first = watch.rings(head(5))
        watch.asked()
        watch.told(head(7))
        let second = [watch.rings(head(6)), watch.rings(head(7)), watch.rings(head(8))]
        #expect(first)
        #expect(second == [false, false, true])
    }

    @Test func `is rung for another epoch at whatever position`() {
        var watch = FeedWatch()
        watch.told(head(9))
        let isRung = watch.rings(head(3, epoch: 2))
        #expect(isRung)
    }
}
