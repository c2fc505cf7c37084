public import EventSourcing
public import JSON
public import Vocabulary

/// A stored advertisement was decoded by newer decoders: its reports are in the journal, and it is not decoded again.
public struct AdvertDecoded: Event, Equatable {
    public static let name = "farm.furrow.sensors.advert-decoded.v1"

    public var device: DeviceID
    /// When the advertisement was received.
    public var heard: Instant
    /// The version of the decoders that decoded it.
    public var decoders: Int

    public init(device: DeviceID, heard: Instant, decoders: Int) {
        self.device = device
        self.heard = heard
        self.decoders = decoders
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        heard = try json.get("heard")
        decoders = try json.get("decoders")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("heard", heard)
        json.field("decoders", decoders)
    }
}
