/// The limits of decoding, which hold for any input, including a crafted one.
enum RadioLimits {
    /// The most devices whose repetitions one filter recognises.
    static let devices = 65_536
    /// The most data bytes of one serial frame (Z-Stack Monitor and Test API).
    static let serialData = 250
    /// The most data bytes of one packet in a live HCI stream; a longer one is a false start.
    static let hciData = 4_096
    /// The most bytes stored of what belongs to no serial frame.
    static let noise = 512
    /// The most attribute records read from one ZCL frame.
    static let records = 128
    /// The deepest nesting of ZCL arrays and structures.
    static let depth = 8
    /// The most bytes of one advertisement, all its parts together (Bluetooth Core, volume 6, part B, 4.4.2.4).
    static let advertisement = 1650
    /// The most advertisements of which a part is missing.
    static let unfinished = 64
    /// The most readings in one BTHome or MiBeacon packet.
    static let objects = 64
    /// The most records read from one capture file.
    static let captured = 4_000_000
    /// The most bytes of one captured packet.
    static let packet = 65_536
    /// The most short addresses and keys that one capture decoder stores.
    static let addresses = 4_096
    static let keys = 16
    /// The most layouts in a farm's file.
    static let layouts = 64
    /// The most bytes of one line of `decode`.
    static let line = 1 << 20
}
