/// What was dropped, refused or lost in transit. None of it is an error: the peer that misses something requests it
/// again.
public enum BusAnomaly: String, Error, Sendable, CaseIterable {
    /// Too few or too many frames, a short head, another version, an unknown kind.
    case malformedMessage
    /// A header or payload above its limit.
    case oversizedMessage
    /// A header that is not JSON or lacks a member.
    case unreadableHeader
    /// A page whose payload does not match its header.
    case unreadablePayload
    /// A known kind of message that this socket does not accept.
    case misplacedMessage
    /// A head notification or hello of a feed without a subscription.
    case unknownFeed
    /// A peer that may not serve or read this feed.
    case notAdmitted
    /// A page or rejection that is no longer awaited: a duplicate, or one that arrived late.
    case stalePage
    /// A response that arrived twice or after its deadline.
    case lateAnswer
    /// The peer is gone or reads too slowly; the message was not sent.
    case undelivered
    /// The server's table of subscribers, or the subscriber's table of feeds, is full.
    case tooManyPeers
    /// A server rejected the request temporarily.
    case refusedForNow
}

/// How often each anomaly occurred since the start.
public struct BusCounts: Sendable, Equatable {
    private var counts: [BusAnomaly: Int] = [:]

    /// Creates counts of zero.
    public init() {}

    /// Returns how often an anomaly occurred.
    public subscript(_ anomaly: BusAnomaly) -> Int { counts[anomaly] ?? 0 }

    /// The anomalies that occurred, in the order of their declaration.
    public var all: [(anomaly: BusAnomaly, count: Int)] {
        BusAnomaly.allCases.compactMap { anomaly in counts[anomaly].map { (anomaly, $0) } }
    }

    /// How often any anomaly occurred.
    public var total: Int { counts.values.reduce(0, +) }

    mutating func note(_ anomaly: BusAnomaly, count: Int = 1) {
        counts[anomaly, default: 0] += count
    }
}
