import Vocabulary

/// The earliest end of an offer in a response. Until then the same tables give the same response.
final class NextEnd {
    private let now: Instant
    private(set) var time: Instant?

    init(after now: Instant) {
        self.now = now
    }

    /// Includes an offer that the response was computed from. An offer that is already over has no effect.
    func note(_ row: OfferRow) {
        guard let until = row.until, until > now else { return }
        time = min(time ?? until, until)
    }
}
