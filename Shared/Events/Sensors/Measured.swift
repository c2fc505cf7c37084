public import EventSourcing
public import JSON
public import Vocabulary

/// One report of one device, with all its readings.
public struct Measured: Event, Equatable {
    public static let name = "farm.furrow.sensors.measured.v1"

    public var device: DeviceID
    /// The encoding of the report: `ruuvi5`, `zcl`, `furrow-node-1` …
    public var format: String
    public var readings: [Reading]
    /// The receiver: `tty`, `capture`, `gateway/<name>`.
    public var source: String
    /// The device's own running number, if the format has one.
    public var counter: UInt64?
    /// Signal strength in dBm.
    public var rssi: Int?
    /// Link quality, 0 to 255 (IEEE 802.15.4).
    public var lqi: Int?
    /// How repeated reports are recognised: the number of a `RepeatRule`.
    public var repeats: Int
    /// The original bytes in hexadecimal: equal in all copies, and available for decoding again.
    public var payload: String

    public init(
        device: DeviceID, format: String, readings: [Reading], source: String, counter: UInt64? = nil,
        rssi: Int? = nil, lqi: Int? = nil, repeats: Int, payload: String
    ) {
        self.device = device
        self.format = format
        self.readings = readings
        self.source = source
        self.counter = counter
        self.rssi = rssi
        self.lqi = lqi
        self.repeats = repeats
        self.payload = payload
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        var members = try JSONMembers(of: json)
        let device: DeviceID = try members.get("device")
        let format: String = try members.get("format")
        let readings: [Reading] = try members.get("readings")
        let source: String = try members.get("source")
        let counter: UInt64? = try members.find("counter")
        let rssi: Int? = try members.find("rssi")
        let lqi: Int? = try members.find("lqi")
        let repeats: Int = try members.get("repeats")
        let payload: String = try members.get("payload")
        self.init(
            device: device, format: format, readings: readings, source: source, counter: counter, rssi: rssi, lqi: lqi,
            repeats: repeats, payload: payload)
    }

    /// The key that recognises copies of this report; nil if it was written by a version with other rules.
    public var repeatKey: RepeatKey? {
        guard let rule = UInt8(exactly: repeats).flatMap(RepeatRule.init(rawValue:)), let bytes = Hex.decode(payload)
        else { return nil }
        return RepeatKey(device: device, rule: rule, counter: counter, payload: bytes)
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("format", format)
        json.field("readings", readings)
        json.field("source", source)
        json.field("counter", ifPresent: counter)
        json.field("rssi", ifPresent: rssi)
        json.field("lqi", ifPresent: lqi)
        json.field("repeats", repeats)
        json.field("payload", payload)
    }
}
