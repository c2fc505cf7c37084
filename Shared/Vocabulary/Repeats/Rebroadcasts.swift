/// Packets that one receiver hears again and again while the device repeats them: as long as they keep coming they are
/// one packet. Only in memory: it saves look-ups, and what it forgets is judged by what is stored.
public struct Rebroadcasts: Sendable {
    private struct Heard: Hashable {
        let device: DeviceID
        let receiver: Receiver
        let counter: UInt64
        let digest: UInt32
    }

    private var last: [Heard: Instant] = [:]
    private let most: Int

    /// - Parameter most: packets that are remembered; beyond it all are forgotten.
    public init(most: Int) {
        self.most = most
    }

    /// Whether the receiver has heard this packet a moment ago; remembers that it has heard it now.
    ///
    /// Packet ids of 8 bits alone need it: long counters do not come again, and transactions are not repeated for long.
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
