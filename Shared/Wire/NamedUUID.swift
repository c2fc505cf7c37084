import Crypto
public import Vocabulary

extension UUID {
    /// Version 5 (RFC 9562, section 5.5): always the same for the same name in the same namespace.
    public static func named(_ name: [UInt8], in namespace: UUID) -> UUID {
        UUID(bytes: SHA1.hash(namespace.bytes + name)).marked(version: 5)
    }

    public static func named(_ name: String, in namespace: UUID) -> UUID {
        named(Array(name.utf8), in: namespace)
    }

    /// Derived events: from the consumer, the source event and a running number, never from a position.
    public static func derived(by consumer: String, from source: UUID, _ number: Int) -> UUID {
        named("\(consumer)|\(source)|\(number)", in: .furrow)
    }

    /// The namespace of Furrow's natural keys, itself the version 5 name of `furrow.farm` as a DNS name.
    public static let furrow = UUID(bytes: [
        0x03, 0x24, 0x35, 0x35, 0xCA, 0x3D, 0x5D, 0xA3, 0x90, 0xC6, 0x39, 0xDC, 0x72, 0x01, 0xB7, 0x47,
    ])
}
