/// What was dropped, refused or lost on the way. Nothing of it is an error here: whoever misses something asks again.
public enum BusAnomaly: String, Error, Sendable, CaseIterable {
    /// Too few or too many frames, a short head, another version, an unknown kind.
    case malformedMessage
    /// A header or payload above its limit.
    case oversizedMessage
    /// A header that is no JSON or misses something.
    case unreadableHeader
    /// A page whose payload does not hold what its header says.
    case unreadablePayload
    /// A known kind that is not for this socket.
    case misplacedMessage
    /// A ring or hello of a feed that nobody here follows.
    case unknownFeed
    /// A peer that may not tell or read this feed.
    case notAdmitted
    /// A page or refusal that is no longer waited for: a repeat, or one that came late.
    case stalePage
    /// An answer that came twice or after its deadline.
    case lateAnswer
    /// The peer is gone or reads too slowly; the message was not sent.
    case undelivered
    /// A server's table of followers, or a follower's table of feeds, is full.
    case tooManyPeers
    /// A server refused for now.
    case refusedForNow
}

/// How often each trouble happened since the start.
public struct BusCounts: Sendable, Equatable {
    private var counts: [BusAnomaly: Int] = [:]

    public init() {}

    public subscript(_ trouble: BusAnomaly) -> Int { counts[trouble] ?? 0 }

    /// Those that happened at all, in the order of their declaration.
    public var all: [(trouble: BusAnomaly, count: Int)] {
        BusAnomaly.allCases.compactMap { trouble in counts[trouble].map { (trouble, $0) } }
    }

    public var total: Int { counts.values.reduce(0, +) }

    mutating func note(_ trouble: BusAnomaly, count: Int = 1) {
        counts[trouble, default: 0] += count
    }
}
