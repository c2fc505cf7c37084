import EventSourcing

/// Throttles pages so that subscribers that catch up slow a writer little. Pure; in microseconds of the monotonic
/// clock.
///
/// While events are being written, all subscribers together receive as much as a full page per `BusTiming.fullPage`, in
/// small pages. The rest of the processor is left to the writer and its callers, and no response waits long for a page.
/// Otherwise pages are served as fast as they are requested.
struct ReplayThrottle {
    private var writesUntil: Int64 = .min
    private var servesAt: Int64 = .min

    /// Records that events were written.
    mutating func eventsWritten(at now: Int64) {
        writesUntil = now + BusTiming.writing
    }

    /// Records that a page of `events` was served; a small page costs next to nothing.
    mutating func served(events: Int, at now: Int64) {
        servesAt = now + BusTiming.fullPage * Int64(events) / Int64(EventLimits.pageEvents)
    }

    /// Returns the most events that a page may have now.
    func pageEvents(at now: Int64) -> Int {
        writesUntil > now ? BusTiming.pageEventsBesideWriter : EventLimits.pageEvents
    }

    func mayServe(at now: Int64) -> Bool { nextServing <= now }

    /// The time at which the next page may be served if no more events are written until then.
    var nextServing: Int64 { min(servesAt, writesUntil) }
}
