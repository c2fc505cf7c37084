/// A receiver, as identified by one slot of sensor-ingest.
public struct Receiver: Hashable, Sendable {
    /// The number of the slot.
    public let slot: UInt8
    /// A hash of the receiver's name.
    public let name: UInt32

    /// Creates a receiver's identity from its name.
    ///
    /// - Parameter source: the receiver's name: `gateway/barn`, `znp:/dev/ttyUSB0`.
    public init(_ source: String, slot: Int) {
        self.init(slot: UInt8(truncatingIfNeeded: slot), name: Self.name(source))
    }

    init(slot: UInt8, name: UInt32) {
        self.slot = slot
        self.name = name
    }

    /// Returns the FNV-1a hash (32 bits) of a receiver's name.
    public static func name(_ source: String) -> UInt32 {
        source.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

/// The reception of a packet by one receiver, with the time of that receiver's clock.
public struct Reception: Hashable, Sendable {
    /// The receiver.
    public let receiver: Receiver
    /// The time, by the receiver's clock.
    public let time: Instant

    /// Creates a reception.
    public init(_ receiver: Receiver, at time: Instant) {
        self.receiver = receiver
        self.time = time
    }
}
