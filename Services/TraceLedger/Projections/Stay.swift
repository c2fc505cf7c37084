import Vocabulary

/// A lot's stay at one place.
struct Stay: Sendable, Equatable {
    let place: Place
    let role: Role
    let from: Instant
    /// Nil while the lot is there.
    var to: Instant?

    /// `field` while it grew, `store` afterwards.
    enum Role: String, Sendable { case field, store }
}
