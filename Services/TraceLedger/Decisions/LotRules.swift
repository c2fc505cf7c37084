import Vocabulary

/// Rules of lots that need no table. Pure: each has mutation tests.
enum LotRules {
    /// Whether a time is so long ago that its year is probably mistyped.
    static func isTooLongAgo(_ happened: Instant, at now: Instant) -> Bool {
        now.seconds(since: happened) >= LedgerLimits.harvestDays * 86_400
    }

    /// Returns the product that prevents another one from using an item number; nil if there is none.
    ///
    /// - Parameter users: The products that already use the number.
    static func owner(of users: [String], for product: String) -> String? { users.first { $0 != product } }

    /// Whether labels that were already printed may be read again.
    static func areLabelsReadable(isPrinted: Bool, held: String?, recalled: String?) -> Bool {
        isPrinted && held == nil && recalled == nil
    }

    /// Whether a person without a signed label may read a lot's story.
    static func isPublic(isPrinted: Bool, isOffered: Bool, handedTo: String?) -> Bool {
        isPrinted || isOffered || handedTo != nil
    }
}
