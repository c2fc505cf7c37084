public import EventSourcing
public import JSON
public import Vocabulary

/// A measuring point was named, placed and assigned to a device (or none).
public struct PointBound: Event, Equatable {
    public static let name = "farm.furrow.sensors.point-bound.v1"

    public var point: PointID
    public var title: String
    public var place: Place
    public var device: DeviceID?

    public init(point: PointID, title: String, place: Place, device: DeviceID? = nil) {
        self.point = point
        self.title = title
        self.place = place
        self.device = device
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        point = try json.get("point")
        title = try json.get("title")
        place = try json.get("place")
        device = try json.find("device")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("point", point)
        json.field("title", title)
        json.field("place", place)
        json.field("device", ifPresent: device)
    }
}
