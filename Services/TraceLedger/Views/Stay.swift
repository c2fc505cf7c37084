import Vocabulary

/// A lot's stay at one place.
struct Stay: Sendable, Equatable {
    let place: Place
    let role: Role
    let from: Instant
    /// Nil while it lies there.
    var to: Instant?

    /// `field` while it grew, `store` while it lay.
    enum Role: String, Sendable { case field, store }
}
