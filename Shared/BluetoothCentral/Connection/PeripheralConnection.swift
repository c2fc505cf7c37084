/// One connection to a device.
struct PeripheralConnection: Sendable {
    let peer: Peripheral
    let profile: GATTProfile
    var frames = FrameAssembler()
    var client: GATTClient
    var isReady = false
    /// The moment by which a connection that the hub ends must have ended; nil for one that goes on.
    var closing: Int64?
    /// Why the hub ends it.
    var reason = "the device is gone"

    init(_ peer: Peripheral, _ profile: GATTProfile) {
        self.peer = peer
        self.profile = profile
        client = GATTClient(profile)
    }
}

/// A value that a connected device has notified the hub of.
package struct NotifiedValue: Hashable, Sendable {
    package let peer: Peripheral
    /// The long UUID of the characteristic.
    package let characteristic: String
    package let value: [UInt8]
    /// The humidity chip of a SensorTag, on which the meaning of the bytes depends.
    package let sensor: String?
    /// Seconds that lie between two reported values.
    package let interval: Int
}
