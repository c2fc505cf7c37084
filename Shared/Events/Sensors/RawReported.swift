public import EventSourcing
public import JSON
public import Vocabulary

/// A report of an undeclared format: its raw bytes, without readings.
public struct RawReported: Event, Equatable {
    public static let name = "farm.furrow.sensors.raw-reported.v1"

    public var device: DeviceID
    public var profile: Int
    public var cluster: Int
    public var endpoint: Int
    /// The transaction sequence number.
    public var counter: UInt64?
    /// The payload in hexadecimal.
    public var payload: String
    public var source: String

    public init(
        device: DeviceID, profile: Int, cluster: Int, endpoint: Int, counter: UInt64? = nil, payload: String,
        source: String
    ) {
        self.device = device
        self.profile = profile
        self.cluster = cluster
        self.endpoint = endpoint
        self.counter = counter
        self.payload = payload
        self.source = source
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        profile = try json.get("profile")
        cluster = try json.get("cluster")
        endpoint = try json.get("endpoint")
        counter = try json.find("counter")
        payload = try json.get("payload")
        source = try json.get("source")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("profile", profile)
        json.field("cluster", cluster)
        json.field("endpoint", endpoint)
        json.field("counter", ifPresent: counter)
        json.field("payload", payload)
        json.field("source", source)
    }
}
