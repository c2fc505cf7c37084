/// The keys of one network: configured ones, and those received when a device joined.
public struct KeyRing: Hashable, Sendable {
    private var network: [[UInt8]] = []
    private var links: [[UInt8]] = []

    /// The link key that every trust centre uses for devices that join for the first time.
    public static let wellKnownLinkKey = Array("ZigBeeAlliance09".utf8)

    public init(network: [[UInt8]] = [], links: [[UInt8]] = [Self.wellKnownLinkKey]) {
        for key in network { learn(network: key) }
        for key in links { learn(link: key) }
    }

    public var networkKeys: [[UInt8]] { network }

    /// Adds a key of 16 bytes; the newest is tried first.
    public mutating func learn(network key: [UInt8]) { Self.add(key, to: &network) }

    public mutating func learn(link key: [UInt8]) { Self.add(key, to: &links) }

    private static func add(_ key: [UInt8], to keys: inout [[UInt8]]) {
        guard key.count == KeyHash.size, !keys.contains(key) else { return }
        keys.insert(key, at: 0)
        if keys.count > RadioLimits.keys { keys.removeLast() }
    }

    /// Returns the keys that may decrypt a frame secured with this kind of key.
    func candidates(for key: SecurityHeader.Key) -> [[UInt8]] {
        switch key {
        case .network: network
        case .link: links
        case .keyTransport: links.map { KeyHash.keyed($0, [0x00]) }
        case .keyLoad: links.map { KeyHash.keyed($0, [0x02]) }
        }
    }
}
