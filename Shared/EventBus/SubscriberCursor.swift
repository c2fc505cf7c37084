import EventSourcing

/// What somebody who follows a feed was told, and so whether a ring would make it ask. Pure.
///
/// Whoever knows of more than it has asks by itself, and needs no ring until it has been told all there is.
struct SubscriberCursor {
    private var told: Head?
    /// It asks, or will: a page did not reach the head it told, or a ring told a newer one.
    private var asks = false

    /// Whether it waits to be rung.
    var isWaiting: Bool { !asks }

    /// It asks for a page, which will tell it the head.
    mutating func asked() {
        asks = true
    }

    /// A page or a hello told it this head; `isAll`, whether it has everything up to there then.
    mutating func told(_ head: Head, isAll: Bool) {
        told = head
        asks = !isAll
    }

    /// Whether to ring this head now; it asks then.
    mutating func rings(_ head: Head) -> Bool {
        let isNews = told.map { $0.epoch != head.epoch || $0.position < head.position } ?? true
        guard isNews, !asks else { return false }
        asks = true
        return true
    }
}
