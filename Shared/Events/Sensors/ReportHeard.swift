public import EventSourcing
public import JSON
public import Vocabulary

/// A further receiver received a recorded report; the event's time is that receiver's clock.
public struct ReportHeard: Event, Equatable {
    public static let name = "farm.furrow.sensors.report-heard.v1"

    public var device: DeviceID
    /// The time of the recorded report.
    public var report: Instant
    /// The receiver: `gateway/<name>`.
    public var source: String
    /// The counter of the report, if it has one.
    public var counter: UInt64?
    /// Signal strength in dBm.
    public var rssi: Int?
    /// Link quality, 0 to 255 (IEEE 802.15.4).
    public var lqi: Int?
    public var repeats: Int
    public var payload: String

    public init(
        device: DeviceID, report: Instant, source: String, counter: UInt64? = nil, rssi: Int? = nil, lqi: Int? = nil,
        repeats: Int, payload: String
    ) {
        self.device = device
        self.report = report
        self.source = source
        self.counter = counter
        self.rssi = rssi
        self.lqi = lqi
        self.repeats = repeats
        self.payload = payload
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        report = try json.get("report")
        source = try json.get("source")
        counter = try json.find("counter")
        rssi = try json.find("rssi")
        lqi = try json.find("lqi")
        repeats = try json.get("repeats")
        payload = try json.get("payload")
    }

    /// The key that identifies the report; nil if it was written by a version with other rules.
    public var repeatKey: RepeatKey? {
        guard let rule = UInt8(exactly: repeats).flatMap(RepeatRule.init(rawValue:)), let bytes = Hex.decode(payload)
        else { return nil }
        return RepeatKey(device: device, rule: rule, counter: counter, payload: bytes)
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("report", report)
        json.field("source", source)
        json.field("counter", ifPresent: counter)
        json.field("rssi", ifPresent: rssi)
        json.field("lqi", ifPresent: lqi)
        json.field("repeats", repeats)
        json.field("payload", payload)
    }
}
