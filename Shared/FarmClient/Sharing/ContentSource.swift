public import Vocabulary

/// Where content came from. From each source, it was verified to be the farm's.
public enum ContentSource: Hashable, Sendable, CustomStringConvertible {
    /// The farm server itself.
    case farm
    /// A node at this address.
    case node(String)
    /// This device.
    case device
    /// Another person's client at this address.
    case client(String)

    /// `farm`, `node http://192.168.1.7:8090`, `device`, `client http://…`.
    public var description: String {
        switch self {
        case .farm: "farm"
        case .node(let address): "node \(address)"
        case .device: "device"
        case .client(let address): "client \(address)"
        }
    }
}

/// A node or another client in the same network, and what it has of this farm.
public struct Neighbour: Hashable, Sendable {
    /// Something that a neighbour has; `FarmClient.content` returns it.
    public struct Entry: Hashable, Sendable {
        /// Path and query at the farm, such as `/v1/sync` or `/media/…`.
        public let target: String
        /// The media type, as the neighbour says.
        public let type: String
    }

    /// Its address: `http://192.168.1.7:8090`.
    public let address: String
    /// Whether it is a node, which fetches from the farm what it does not have.
    public let isNode: Bool
    /// Whether it is called now; false for a while after it did not answer, or with something false.
    public let isUsable: Bool
    /// The responses of it that were not the farm's, and why it was avoided last; nil if it never was.
    public let refused: Int
    public let reason: String?
    /// What it has, the most requested first.
    public let entries: [Entry]
}

/// Something of the farm that was verified.
public struct SharedContent: Hashable, Sendable {
    /// The media type.
    public let type: String
    public let body: [UInt8]
    public let source: ContentSource
    /// When the farm sent it.
    public let asOf: Instant
}
