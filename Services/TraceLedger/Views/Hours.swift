import Vocabulary

extension Instant {
    /// Whole hours since 1970 (UTC); none before.
    var hours: Int64 { max(microseconds / 3_600_000_000, 0) }

    init(hours: Int64) {
        self.init(microseconds: hours * 3_600_000_000)
    }
}

extension Int64 {
    /// An hour as keys have it: 8 digits sort by time.
    var hourDigits: String { digits(8) }

    /// A number that is not negative, in so many digits at least.
    func digits(_ count: Int) -> String {
        let text = String(Swift.max(self, 0))
        return String(repeating: "0", count: Swift.max(0, count - text.utf8.count)) + text
    }
}
