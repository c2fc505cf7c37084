/// Whether a stored response may be used, by its age.
package enum ResponseFreshness: Hashable, Sendable {
    case fresh
    /// It may be used while a newer one is fetched (RFC 5861, 3).
    case usableWhileRevalidating
    /// It may be used if the farm cannot be reached or fails (RFC 5861, 4).
    case usableOnError
    case unusable

    /// - Parameter age: seconds since the farm made the response; nil if the clock was set back, so that it is unknown.
    package init(_ directives: CacheDirectives, age: Int?) {
        guard let age else {
            self = directives.staleIfError > 0 ? .usableOnError : .unusable
            return
        }
        let stale = age - directives.maxAge
        if stale < 0 {
            self = .fresh
        } else if stale < directives.staleWhileRevalidate {
            self = .usableWhileRevalidating
        } else if stale < directives.staleIfError {
            self = .usableOnError
        } else {
            self = .unusable
        }
    }
}
