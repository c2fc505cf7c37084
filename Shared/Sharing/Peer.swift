import System

/// Another node in the same network.
package struct Peer: Sendable {
    /// Its address with the port of its first farm, such as `http://192.168.1.7:8090`.
    package let address: String
    /// What it has; nil until its index was read.
    package var index: PeerIndex?
    /// The entity tag of the index.
    package var tag: String?
    /// Whether `--peer` names it, so that it stays without announcements.
    package let isConfigured: Bool
    /// When it was found or answered last, in monotonic microseconds.
    package var lastSeen: Int64
    /// When its index is requested again.
    package var nextIndex: Int64 = 0
    /// Whether a request for its index is under way.
    package var isIndexRequested = false
    /// Responses of it that were not accepted, and the last reason.
    package private(set) var refused = 0
    package private(set) var reason: String?
    /// The pause after a request without an answer.
    private var pause = RetryPause(
        first: SharingLimits.pauseMicroseconds, longest: SharingLimits.longestPauseMicroseconds)
    /// The pause after a false response.
    private var penalty = RetryPause(
        first: SharingLimits.peerPauseMicroseconds, longest: SharingLimits.longestPeerPauseMicroseconds)

    init(address: String, isConfigured: Bool, at now: Int64) {
        (self.address, self.isConfigured, lastSeen) = (address, isConfigured, now)
    }

    /// Whether it may be called: it is avoided for a while after each response that was not accepted.
    package func isUsable(at now: Int64) -> Bool { pause.isOver(at: now) && penalty.isOver(at: now) }

    /// Notes an answer. `isTrue` says that it was a response of the farm, which ends the doubling of penalties.
    mutating func succeed(at now: Int64, isTrue: Bool) {
        lastSeen = now
        pause.succeed()
        if isTrue { penalty.succeed() }
    }

    /// Avoids it for a while, because it did not answer, or with something that is not the farm's.
    mutating func avoid(_ reason: String, isFalse: Bool, at now: Int64) {
        self.reason = reason
        if isFalse {
            refused += 1
            penalty.fail(at: now)
        } else {
            pause.fail(at: now)
            nextIndex = now
        }
    }

    /// Whether it lists a response of the farm with a key of this identifier.
    func lists(_ target: String, of farm: String) -> Bool {
        index?.entries.contains { $0.farm == farm && $0.target == target } ?? false
    }

    /// Returns where it serves the farm with a key of this identifier; nil if it does not.
    func address(of farm: String) -> String? {
        guard let port = index?.ports[farm], let colon = address.lastIndex(of: ":") else { return nil }
        return "\(address[..<colon]):\(port)"
    }
}
