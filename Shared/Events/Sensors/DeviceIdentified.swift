public import EventSourcing
public import JSON
public import Vocabulary

/// A device reported its make, whose decoding rules apply to its later frames.
public struct DeviceIdentified: Event, Equatable {
    public static let name = "farm.furrow.sensors.device-identified.v1"

    public var device: DeviceID
    public var maker: String?
    public var model: String?
    public var source: String

    public init(device: DeviceID, maker: String? = nil, model: String? = nil, source: String) {
        self.device = device
        self.maker = maker
        self.model = model
        self.source = source
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        maker = try json.find("maker")
        model = try json.find("model")
        source = try json.get("source")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("maker", ifPresent: maker)
        json.field("model", ifPresent: model)
        json.field("source", source)
    }
}
