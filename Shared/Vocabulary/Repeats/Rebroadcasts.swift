/// Detects packets that a device broadcasts repeatedly: while a receiver gets copies, they are one packet.
///
/// Only an in-memory cache that saves look-ups; packets that it has evicted are compared with stored reports.
public struct Rebroadcasts: Sendable {
    private struct Heard: Hashable {
        let device: DeviceID
        let receiver: Receiver
        let counter: UInt64
        let digest: UInt32
    }

    private var last: [Heard: Instant] = [:]
    private let most: Int

    /// Creates an empty cache.
    ///
    /// - Parameter most: the maximum number of packets; beyond it the cache is cleared.
    public init(most: Int) {
        self.most = most
    }

    /// Returns whether the receiver got this packet a moment ago, and records this reception.
    ///
    /// Only packet ids of 8 bits need this: long counters are not reused, and transactions are not repeated for long.
    public mutating func isRebroadcast(_ key: RepeatKey, _ reception: Reception) -> Bool {
        guard key.effectiveRule == .packetID, let counter = key.counter else { return false }
        let heard = Heard(device: key.device, receiver: reception.receiver, counter: counter, digest: key.digest)
        let before = last[heard]
        if before == nil, last.count >= most { last = [:] }
        last[heard] = max(before ?? reception.time, reception.time)
        guard let before else { return false }
        return abs(before.seconds(since: reception.time)) * 1_000_000 <= Double(RepeatRule.packetID.rebroadcast)
    }
}
