public import EventSourcing
public import JSON
public import Vocabulary

/// A beacon was received; at most one such event for each beacon and minute.
public struct BeaconHeard: Event, Equatable {
    public static let name = "farm.furrow.sensors.beacon-heard.v1"

    /// `ibeacon:<uuid>:<major>:<minor>` or `eddystone:<id>`.
    public var beacon: String
    /// The device address of the beacon, which may change.
    public var device: DeviceID
    public var rssi: Int?
    /// RSSI at one metre, as advertised by the beacon.
    public var power: Int?
    public var source: String

    public init(beacon: String, device: DeviceID, rssi: Int? = nil, power: Int? = nil, source: String) {
        self.beacon = beacon
        self.device = device
        self.rssi = rssi
        self.power = power
        self.source = source
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        beacon = try json.get("beacon")
        device = try json.get("device")
        rssi = try json.find("rssi")
        power = try json.find("power")
        source = try json.get("source")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("beacon", beacon)
        json.field("device", device)
        json.field("rssi", ifPresent: rssi)
        json.field("power", ifPresent: power)
        json.field("source", source)
    }
}
