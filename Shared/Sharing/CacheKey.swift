import Wire

/// What a stored response is found by.
package struct CacheKey: Hashable, Sendable {
    /// The address of the farm, without a path.
    package let farm: String
    /// Path and query, percent-encoded.
    package let target: String
    /// Whether a browser requested a page, to which the farm may respond otherwise than to a program.
    package let isPage: Bool

    package init(farm: String, target: String, isPage: Bool) {
        (self.farm, self.target, self.isPage) = (farm, target, isPage)
    }

    /// The value of `Accept` with which it is requested.
    package var accepted: String { isPage ? "text/html,*/*;q=0.5" : "*/*" }

    /// Whether others in the network can prove such a response: pictures by their names, the rest by the farm's
    /// signature.
    package var isShared: Bool {
        guard !isPage, target != PublisherKey.target else { return false }
        return target == ObliviousHTTP.path || ["/v1/", "/media/", "/ledger/"].contains { target.hasPrefix($0) }
    }
}
