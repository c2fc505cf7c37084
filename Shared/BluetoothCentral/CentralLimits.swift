/// The limits of a hub's radio, which hold for any input of a controller or a device.
package enum CentralLimits {
    /// The most devices that are connected at the same time. A controller may allow fewer.
    static let connections = 8
    /// The most devices whose attempts to connect are remembered; the oldest is forgotten first.
    static let attempts = 1_024
    /// Microseconds without a response to a command after which the controller is reset.
    static let commandMicroseconds: Int64 = 5_000_000
    /// Microseconds after which an attempt to connect is cancelled.
    static let connectMicroseconds: Int64 = 10_000_000
    /// Microseconds without a response after which a device is disconnected (Bluetooth Core, volume 3, part F, 3.3.3).
    static let transactionMicroseconds: Int64 = 30_000_000
    /// The first pause before the next attempt to connect, and the longest one.
    static let pauseMicroseconds: Int64 = 1_000_000
    static let longestPauseMicroseconds: Int64 = 120_000_000
    /// The most bytes of a message on the ATT channel; longer ones end the connection.
    static let message = 1_024
    /// The most ACL packets that wait for a controller that accepts none.
    static let waitingPackets = 256
    /// The most services, or characteristics of one service, that are read from one device.
    static let attributes = 256
    /// The most profiles, services of a profile, and characteristics of a service.
    static let profiles = 64
    static let services = 8
    static let characteristics = 16
    /// The most bytes that a profile writes at once: what fits into the smallest MTU.
    static let written = 20
    /// The most senders whose last data is remembered, so that the same data is reported once in a while only.
    static let senders = 4_096
    /// The most bytes of an advertisement (Bluetooth Core, volume 4, part E, 7.8.57: a fragment that is not joined).
    static let advertisement = 251
    /// The most receptions of beacons in one second; more are counted only.
    static let receptions = 500
    /// Seconds after which the same data of a sender is reported again.
    static let repeatSeconds = 60.0
    /// The longest interval of a profile, in seconds.
    static let intervalSeconds = 3_600
    /// The most bytes of a file of profiles.
    package static let profileBytes = 256 * 1024
}
