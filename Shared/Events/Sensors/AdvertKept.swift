public import EventSourcing
public import JSON
public import Vocabulary

/// An advertisement that no decoder understood: its bytes, so that a later build can decode them.
///
/// At most one for each device and hour.
public struct AdvertKept: Event, Equatable {
    public static let name = "farm.furrow.sensors.advert-kept.v1"

    public var device: DeviceID
    /// `unsupported`, `encrypted` or `truncated`.
    public var reason: String
    /// The decoder's error, if there is one.
    public var detail: String?
    /// The version of the decoders that failed.
    public var decoders: Int
    /// The whole advertising data in hexadecimal.
    public var data: String
    public var source: String
    /// Signal strength in dBm.
    public var rssi: Int?

    public init(
        device: DeviceID, reason: String, detail: String? = nil, decoders: Int, data: String, source: String,
        rssi: Int? = nil
    ) {
        self.device = device
        self.reason = reason
        self.detail = detail
        self.decoders = decoders
        self.data = data
        self.source = source
        self.rssi = rssi
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        reason = try json.get("reason")
        detail = try json.find("detail")
        decoders = try json.get("decoders")
        data = try json.get("data")
        source = try json.get("source")
        rssi = try json.find("rssi")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("reason", reason)
        json.field("detail", ifPresent: detail)
        json.field("decoders", decoders)
        json.field("data", data)
        json.field("source", source)
        json.field("rssi", ifPresent: rssi)
    }
}
