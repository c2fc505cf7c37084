import EventSourcing

/// When pages may be served, so that readers who catch up slow a writer little. Pure; in microseconds of the monotonic
/// clock.
///
/// While something is being written they get, all together, as much as a full page every `BusTiming.fullPage`, in small
/// pages: what is left of the processors is for the writer and for those who wait for its answers, and no answer waits
/// for long while a page is read, here or where it goes. Else they are served as fast as they ask.
struct ReplayThrottle {
    private var writesUntil: Int64 = .min
    private var servesAt: Int64 = .min

    /// Something was written.
    mutating func rang(at now: Int64) {
        writesUntil = now + BusTiming.writing
    }

    /// A page of so many events was served; one that tells only the newest costs next to nothing.
    mutating func served(events: Int, at now: Int64) {
        servesAt = now + BusTiming.fullPage * Int64(events) / Int64(EventLimits.pageEvents)
    }

    /// How many events a page may hold.
    func pageEvents(at now: Int64) -> Int {
        writesUntil > now ? BusTiming.pageEventsBesideWriter : EventLimits.pageEvents
    }

    func mayServe(at now: Int64) -> Bool { nextServing <= now }

    /// When the next page may be served, if nothing more is written until then.
    var nextServing: Int64 { min(servesAt, writesUntil) }
}
