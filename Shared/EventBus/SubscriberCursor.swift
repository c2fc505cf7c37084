import EventSourcing

/// What a subscriber knows of a feed's head, and so whether a head notification would make it request a page. Pure.
///
/// A subscriber that knows of entries it does not have requests them by itself. It needs no notification until it has
/// received all of them.
struct SubscriberCursor {
    private var announced: Head?
    /// Whether it will request a page by itself: a page did not reach the head, or a notification announced a newer
    /// one.
    private var asks = false

    /// Whether it waits for a head notification.
    var isWaiting: Bool { !asks }

    /// Records a page request; its response will carry the head.
    mutating func asked() {
        asks = true
    }

    /// Records that a page or a hello carried this head; `isAll` if the subscriber then has everything up to it.
    mutating func announced(_ head: Head, isAll: Bool) {
        announced = head
        asks = !isAll
    }

    /// Returns whether to send a notification of this head. If so, the subscriber will request a page.
    mutating func shouldNotify(_ head: Head) -> Bool {
        let isNewer = announced.map { $0.epoch != head.epoch || $0.position < head.position } ?? true
        guard isNewer, !asks else { return false }
        asks = true
        return true
    }
}
