import EventSourcing
import Testing

@testable import EventBus

@Suite("The pace of pages")
struct ReplayThrottleTests {
    /// Serves full pages as soon as it may for a second, while something is written every `pause`; gives the events.
    private func served(writingEvery pause: Int64?, events: Int = EventLimits.pageEvents) -> Int {
        var pace = ReplayThrottle()
        var served = 0
        // A page takes its server a tenth of a millisecond.
        for now in stride(from: 0 as Int64, to: 1_000_000, by: 100) {
            if let pause, now % pause == 0 { pace.rang(at: now) }
            guard pace.mayServe(at: now) else { continue }
            pace.served(events: events, at: now)
            served += events
        }
        return served
    }

    @Test func `is the readers' own while nothing is written`() {
        #expect(served(writingEvery: nil) == 10_000 * EventLimits.pageEvents)
    }

    @Test func `is one full page in eight milliseconds while something is`() {
        #expect(served(writingEvery: 1_000) == 125 * EventLimits.pageEvents)
        #expect(served(writingEvery: BusTiming.writing) == 125 * EventLimits.pageEvents)
    }

    @Test func `is the same in small pages, as they are while something is written`() {
        #expect(served(writingEvery: 1_000, events: BusTiming.pageEventsBesideWriter) == 125 * EventLimits.pageEvents)
        var pace = ReplayThrottle()
        #expect(pace.pageEvents(at: 0) == EventLimits.pageEvents)
        pace.rang(at: 0)
        #expect(pace.pageEvents(at: BusTiming.writing - 1) == BusTiming.pageEventsBesideWriter)
        #expect(pace.pageEvents(at: BusTiming.writing) == EventLimits.pageEvents)
    }

    @Test func `hardly holds back who asks for the newest only`() {
        #expect(served(writingEvery: 1_000, events: 5) == 10_000 * 5)
    }

    @Test func `is the readers' own again soon after the last was written`() {
        var pace = ReplayThrottle()
        pace.rang(at: 0)
        pace.served(events: 100_000, at: 0)
        #expect(pace.nextServing == BusTiming.writing)
        #expect(!pace.mayServe(at: BusTiming.writing - 1) && pace.mayServe(at: BusTiming.writing))
    }
}
