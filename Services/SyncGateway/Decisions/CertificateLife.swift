/// The validity period of a certificate, and the rule for its renewal.
struct CertificateLife: Equatable, Sendable {
    /// Seconds since 1970.
    let begins: Int64
    let ends: Int64

    /// The time that must be left at a start; with less, a new certificate is issued.
    static let leastSeconds: Int64 = 30 * 86_400

    /// Returns whether the certificate is valid at `now` (seconds since 1970) and will be for `leastSeconds`.
    ///
    /// A certificate that begins later was issued while the clock was ahead.
    func serves(at now: Int64) -> Bool {
        begins <= now && lasts(at: now)
    }

    /// Returns whether at least `leastSeconds` are left at `now`, even if the validity has not begun.
    ///
    /// This is the rule for the authority, which people installed by hand. A machine that starts with its clock in the
    /// past must not replace it.
    func lasts(at now: Int64) -> Bool {
        ends - now >= Self.leastSeconds
    }
}
