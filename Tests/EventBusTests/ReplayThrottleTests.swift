import EventSourcing
import Testing

@testable import EventBus

@Suite("The throttle of pages")
struct ReplayThrottleTests {
    /// Serves full pages as soon as allowed for a second, while events are written every `pause`. Returns the number of
    /// events.
    private func served(writingEvery pause: Int64?, events: Int = EventLimits.pageEvents) -> Int {
        var throttle = ReplayThrottle()
        var served = 0
        // A page takes the server a tenth of a millisecond.
        for now in stride(from: 0 as Int64, to: 1_000_000, by: 100) {
            if let pause, now % pause == 0 { throttle.eventsWritten(at: now) }
            guard throttle.mayServe(at: now) else { continue }
            throttle.served(events: events, at: now)
            served += events
        }
        return served
    }

    @Test func `pages are not throttled while no event is written`() {
        #expect(served(writingEvery: nil) == 10_000 * EventLimits.pageEvents)
    }

    @Test func `one full page per eight milliseconds is served while events are written`() {
        #expect(served(writingEvery: 1_000) == 125 * EventLimits.pageEvents)
        #expect(served(writingEvery: BusTiming.writing) == 125 * EventLimits.pageEvents)
    }

    @Test func `small pages are served while events are written, at the same rate of events`() {
        #expect(served(writingEvery: 1_000, events: BusTiming.pageEventsBesideWriter) == 125 * EventLimits.pageEvents)
        var throttle = ReplayThrottle()
        #expect(throttle.pageEvents(at: 0) == EventLimits.pageEvents)
        throttle.eventsWritten(at: 0)
        #expect(throttle.pageEvents(at: BusTiming.writing - 1) == BusTiming.pageEventsBesideWriter)
        #expect(throttle.pageEvents(at: BusTiming.writing) == EventLimits.pageEvents)
    }

    @Test func `a subscriber that requests only the newest events is hardly throttled`() {
        #expect(served(writingEvery: 1_000, events: 5) == 10_000 * 5)
    }

    @Test func `the throttle ends soon after the last event was written`() {
        var throttle = ReplayThrottle()
        throttle.eventsWritten(at: 0)
        throttle.served(events: 100_000, at: 0)
        #expect(throttle.nextServing == BusTiming.writing)
        #expect(!throttle.mayServe(at: BusTiming.writing - 1) && throttle.mayServe(at: BusTiming.writing))
    }
}
