public import Vocabulary

/// What one device said in one packet: all its quantities, and what tells a repeat from news.
public struct Report: Hashable, Sendable {
    public var device: DeviceID
    /// Well-formed values; one that stands for "not available" gives no reading.
    public var readings: [DecodedReading]
    /// Values that the rules of the format or the maker refuse, each with its doubt.
    public var rejected: [DecodedReading]
    /// Sequence, packet id or transaction number: whatever the format numbers its packets with.
    public var counter: UInt64?
    /// The format it was read in: `ruuvi5`, `bthome2`, `zcl`, `furrow-node-1`.
    public var protocolName: String
    /// What the sensor is, as far as the range of its values depends on it.
    public var kind: SensorKind
    public var repeats: RepeatRule
    /// What the device calls its maker and itself, where the packet says so (ZigBee Basic cluster).
    public var maker: String?
    public var model: String?
    /// Signal strength in dBm, where the receiver measured it.
    public var rssi: Int?
    /// Link quality 0 to 255 (ZigBee).
    public var lqi: Int?
    /// The bytes that two copies of one packet have in common.
    public var fingerprint: [UInt8]

    public init(
        device: DeviceID, protocolName: String, kind: SensorKind = .any, repeats: RepeatRule, counter: UInt64? = nil,
        fingerprint: [UInt8], rssi: Int? = nil, lqi: Int? = nil
    ) {
        self.kind = kind
        self.device = device
        self.protocolName = protocolName
        self.repeats = repeats
        self.counter = counter
        self.fingerprint = fingerprint
        self.rssi = rssi
        self.lqi = lqi
        readings = []
        rejected = []
    }

    public var repeatKey: RepeatKey {
        RepeatKey(device: device, rule: repeats, counter: counter, payload: fingerprint)
    }

    /// Adds a value, doubted where a sensor of this kind cannot measure it.
    mutating func add(_ quantity: Quantity, _ value: Double, channel: Int = 1, doubt: Implausibility? = nil) {
        let doubt = doubt ?? (quantity.plausible(for: kind).contains(value) ? nil : .outOfRange)
        readings.append(
            DecodedReading(device: device, quantity: quantity, value: value, channel: channel, doubt: doubt))
    }

    mutating func reject(_ quantity: Quantity, _ value: Double, channel: Int = 1, _ doubt: Implausibility) {
        rejected.append(
            DecodedReading(device: device, quantity: quantity, value: value, channel: channel, doubt: doubt))
    }
}
