/// From when until when a certificate is valid, and when it is time for the next.
struct CertificateLife: Equatable, Sendable {
    /// Seconds since 1970.
    let begins: Int64
    let ends: Int64

    /// Whoever has less than this left at a start gets a new one.
    static let leastSeconds: Int64 = 30 * 86_400

    /// Whether a certificate with a life of this kind serves on at `now`, seconds since 1970.
    ///
    /// One that begins later was made while the clock was ahead.
    func serves(at now: Int64) -> Bool {
        begins <= now && lasts(at: now)
    }

    /// Whether enough of it is left, whenever it begins.
    ///
    /// The rule for the authority, which people installed by hand: a board that starts with its clock in the past
    /// must not throw it away.
    func lasts(at now: Int64) -> Bool {
        ends - now >= Self.leastSeconds
    }
}
