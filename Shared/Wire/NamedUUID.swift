import Crypto
public import Vocabulary

extension UUID {
    /// Returns the identifier of version 5 (RFC 9562, section 5.5): deterministic for a name in a namespace.
    public static func named(_ name: [UInt8], in namespace: UUID) -> UUID {
        UUID(bytes: SHA1.hash(namespace.bytes + name)).marked(version: 5)
    }

    /// Returns the identifier of version 5 of a text.
    public static func named(_ name: String, in namespace: UUID) -> UUID {
        named(Array(name.utf8), in: namespace)
    }

    /// Returns the identifier of a derived event: from the consumer, the source event and a running number, never a
    /// position.
    public static func derived(by consumer: String, from source: UUID, _ number: Int) -> UUID {
        named("\(consumer)|\(source)|\(number)", in: .furrow)
    }

    /// The namespace of Furrow's natural keys: the version 5 identifier of `furrow.farm` as a DNS name.
    public static let furrow = UUID(bytes: [
        0x03, 0x24, 0x35, 0x35, 0xCA, 0x3D, 0x5D, 0xA3, 0x90, 0xC6, 0x39, 0xDC, 0x72, 0x01, 0xB7, 0x47,
    ])
}
