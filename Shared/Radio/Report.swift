public import Vocabulary

/// The contents of one packet of a device: all its readings, and what distinguishes a repetition from a new report.
public struct Report: Hashable, Sendable {
    public var device: DeviceID
    /// Well-formed values. A value that means "not available" gives no reading.
    public var readings: [DecodedReading]
    /// Values that the rules of the format or the maker reject, each with the reason in `doubt`.
    public var rejected: [DecodedReading]
    /// The number that the format gives its packets: sequence, packet id or transaction number.
    public var counter: UInt64?
    /// The format: `ruuvi5`, `bthome2`, `zcl`, `furrow-node-1`.
    public var protocolName: String
    /// The kind of sensor, on which the plausible range of its values depends.
    public var kind: SensorKind
    public var repeats: RepeatRule
    /// The device's maker and model as named in the packet (ZigBee Basic cluster).
    public var maker: String?
    public var model: String?
    /// Signal strength in dBm, if the receiver measured it.
    public var rssi: Int?
    /// Link quality 0 to 255 (ZigBee).
    public var lqi: Int?
    /// The bytes that all copies of one packet have in common.
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

    /// The number of values in most reports, for which memory is requested at once.
    private static let usualReadings = 4

    public var repeatKey: RepeatKey {
        RepeatKey(device: device, rule: repeats, counter: counter, payload: fingerprint)
    }

    /// Adds a value. Without a given `doubt` it is marked out of range if a sensor of this kind cannot measure it.
    mutating func add(_ quantity: Quantity, _ value: Double, channel: Int = 1, doubt: Implausibility? = nil) {
        let doubt = doubt ?? (quantity.plausible(for: kind).contains(value) ? nil : .outOfRange)
        if readings.isEmpty { readings.reserveCapacity(Self.usualReadings) }
        readings.append(
            DecodedReading(device: device, quantity: quantity, value: value, channel: channel, doubt: doubt))
    }

    mutating func reject(_ quantity: Quantity, _ value: Double, channel: Int = 1, _ doubt: Implausibility) {
        rejected.append(
            DecodedReading(device: device, quantity: quantity, value: value, channel: channel, doubt: doubt))
    }
}
