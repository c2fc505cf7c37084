import Vocabulary

/// The earliest end of an offer in an answer: until then the same tables give the same answer.
final class NextEnd {
    private let now: Instant
    private(set) var time: Instant?

    init(after now: Instant) {
        self.now = now
    }

    /// Takes an offer that the answer was computed from; one that is over already changes nothing more.
    func note(_ row: OfferRow) {
        guard let until = row.until, until > now else { return }
        time = min(time ?? until, until)
    }
}
