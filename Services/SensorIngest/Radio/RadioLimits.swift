/// What a decoder may at most make of one input, however it was built.
enum RadioLimits {
    /// Devices whose repeats one filter can tell.
    static let devices = 65_536
    /// Data bytes of one serial frame (Z-Stack Monitor and Test API).
    static let serialData = 250
    /// Data bytes of one packet of a live HCI stream; more is a false start.
    static let hciData = 4_096
    /// Bytes kept of what belonged to no serial frame.
    static let noise = 512
    /// Attribute records taken from one ZCL frame.
    static let records = 128
    /// How deep arrays and structures of ZCL may lie in one another.
    static let depth = 8
    /// Bytes of one advertisement, all its parts together (Bluetooth Core, volume 6, part B, 4.4.2.4).
    static let advertisement = 1650
    /// Advertisements of which a part is waited for.
    static let unfinished = 64
    /// Readings one BTHome or MiBeacon packet may hold.
    static let objects = 64
    /// Records taken from one capture file.
    static let captured = 4_000_000
    /// Bytes of one captured packet.
    static let packet = 65_536
    /// Short addresses and keys one capture decoder remembers.
    static let addresses = 4_096
    static let keys = 16
    /// Bytes that one line of `decode` may hold.
    static let line = 1 << 20
}
