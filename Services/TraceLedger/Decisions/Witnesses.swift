import Vocabulary

/// When the hub's followers are asked to witness how far it reached: every hour; besides, whenever a lot is recalled.
struct Witnesses {
    static let secondsBetween = 3_600.0

    private var asked: Instant?

    /// Whether an hour has passed since the last time that it was due, or since the start.
    mutating func isDue(at now: Instant) -> Bool {
        guard let asked else {
            asked = now
            return false
        }
        guard now.microseconds - asked.microseconds >= Int64(Self.secondsBetween) * 1_000_000 else { return false }
        self.asked = now
        return true
    }
}
