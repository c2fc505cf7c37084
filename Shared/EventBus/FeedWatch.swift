import EventSourcing

/// What somebody who follows a feed was told, and so whether a ring would make it ask. Pure.
///
/// A ring that goes beyond what was told makes its reader ask, so until then no second one is needed. One that does not
/// makes nobody ask and must not stand in the way of the next.
struct FeedWatch {
    private var told: Head?
    private var isRung = false

    /// It asks for a page.
    mutating func asked() {
        isRung = false
    }

    /// A page or a hello told it this head.
    mutating func told(_ head: Head) {
        told = head
        isRung = false
    }

    /// Whether to ring this head now; it counts as rung then.
    mutating func rings(_ head: Head) -> Bool {
        let isNews = told.map { $0.epoch != head.epoch || $0.position < head.position } ?? true
        guard isNews, !isRung else { return false }
        isRung = true
        return true
    }
}
