/// One receiver as one slot of sensor-ingest knows it.
public struct Receiver: Hashable, Sendable {
    public let slot: UInt8
    /// The receiver's name, shortened.
    public let name: UInt32

    /// - Parameter source: the name of the receiver: `gateway/barn`, `znp:/dev/ttyUSB0`.
    public init(_ source: String, slot: Int) {
        self.init(slot: UInt8(truncatingIfNeeded: slot), name: Self.name(source))
    }

    init(slot: UInt8, name: UInt32) {
        self.slot = slot
        self.name = name
    }

    /// FNV-1a (32 bits) of a receiver's name.
    public static func name(_ source: String) -> UInt32 {
        source.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

/// When one receiver heard a packet, by its own clock.
public struct Reception: Hashable, Sendable {
    public let receiver: Receiver
    public let time: Instant

    public init(_ receiver: Receiver, at time: Instant) {
        self.receiver = receiver
        self.time = time
    }
}
