import EventSourcing
import Testing

@testable import EventBus

@Suite("The throttle of pages")
struct ReplayThrottleTests {
    /// Serves full pages as soon as allowed for a second, while events are written every `pause`. Returns the number of
    /// events.
    private func served(writingEvery pause: Int64?, events: Int = EventLimits.pageEvents) -> Int {
        var pace = ReplayThrottle()
        var served = 0
        // A page takes the server a tenth of a millisecond.
        for now in stride(from: 0 as Int64, to: 1_000_000, by: 100) {
            if let pause, now % pause == 0 { pace.rang(at: now) }
            guard pace.mayServe(at: now) else { continue }
            pace.served(events: events, at: now)
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
        var pace = ReplayThrottle()
        #expect(pace.pageEvents(at: 0) == EventLimits.pageEvents)
        pace.rang(at: 0)
        #expect(pace.pageEvents(at: BusTiming.writing - 1) == BusTiming.pageEventsBesideWriter)
        #expect(pace.pageEvents(at: BusTiming.writing) == EventLimits.pageEvents)
    }

    @Test func `a subscriber that requests only the newest events is hardly throttled`() {
        #expect(served(writingEvery: 1_000, events: 5) == 10_000 * 5)
    }

    @Test func `the throttle ends soon after the last event was written`() {
        var pace = ReplayThrottle()
        pace.rang(at: 0)
        pace.served(events: 100_000, at: 0)
        #expect(pace.nextServing == BusTiming.writing)
        #expect(!pace.mayServe(at: BusTiming.writing - 1) && pace.mayServe(at: BusTiming.writing))
    }
}
