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
    var hourDigits: String {
        let text = String(Swift.max(self, 0))
        return String(repeating: "0", count: Swift.max(0, 8 - text.utf8.count)) + text
    }
}
