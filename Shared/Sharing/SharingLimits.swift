/// The limits of what is shared with others in one network, and of what others may cost.
package enum SharingLimits {
    /// Farms that one node serves.
    package static let farms = 8
    /// Bytes of a request's path and query.
    package static let targetBytes = 2_048
    /// The pause between two attempts to reach a farm: the first, and the longest.
    package static let pauseMicroseconds: Int64 = 1_000_000
    package static let longestPauseMicroseconds: Int64 = 15_000_000

    /// Bytes of the disk that responses leave free, at most a tenth of it.
    package static let reserveBytes: UInt64 = 64 << 20
    /// Bytes and number of the responses that are also in memory.
    package static let memoryBytes = 8 << 20
    package static let memoryEntries = 1_024
    /// Half of a request's weight in a rank is gone after this many seconds: three days.
    package static let halfLifeSeconds = 259_200.0
    /// Seconds for which a response may be used without its farm if it names no time itself: seven days.
    package static let staleSeconds = 604_800
    /// Bytes of SQLite's log after which it is moved into the database.
    package static let logBytes = 8 << 20

    /// Entries of an index, and of a list of deferred requests.
    package static let listed = 100

    /// Others in the network that are known, and those that may be named.
    package static let peers = 64
    package static let namedPeers = 16
    /// Others that one response is requested from, one after the other.
    package static let peersPerSearch = 3
    /// Bytes of another's index.
    package static let indexBytes = 262_144
    /// Seconds after which another has not answered.
    package static let peerSeconds = 2.0
    /// Microseconds between two requests for another's index, and without an answer after which it is forgotten.
    package static let indexMicroseconds: Int64 = 20_000_000
    package static let peerMicroseconds: Int64 = 600_000_000
    /// For how long a node is avoided after a false response: the first time, and the longest.
    package static let peerPauseMicroseconds: Int64 = 10_000_000
    package static let longestPeerPauseMicroseconds: Int64 = 3_600_000_000
    /// Seconds after which a response is requested as a whole, so that its signature is renewed: a day of its seven.
    package static let signatureSeconds: Int64 = 86_400
    /// Entries that a node announces, and bytes of an announcement (RFC 6763, 6.2).
    package static let announced = 5
    package static let announcementBytes = 200
}
