import Vocabulary

extension Instant {
    /// Whole hours since 1970 (UTC); 0 before.
    var hours: Int64 { max(microseconds / 3_600_000_000, 0) }

    init(hours: Int64) {
        self.init(microseconds: hours * 3_600_000_000)
    }
}

extension Int64 {
    /// The hour in 8 digits, so that keys sort by time.
    var hourDigits: String { digits(8) }

    /// Returns a number that is not negative, in at least this number of digits.
    func digits(_ count: Int) -> String {
        let text = String(Swift.max(self, 0))
        return String(repeating: "0", count: Swift.max(0, count - text.utf8.count)) + text
    }
}
