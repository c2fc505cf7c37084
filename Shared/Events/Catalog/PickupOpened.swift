public import EventSourcing
public import JSON
public import Vocabulary

/// A pickup place was opened, or its whole description replaced.
public struct PickupOpened: Event, Equatable {
    public static let name = "farm.furrow.catalog.pickup-opened.v1"

    public var pickup: PickupID
    public var title: String
    public var address: String?
    public var county: String?
    /// The opening hours, as a text for people.
    public var hours: String?
    /// Degrees north, WGS 84.
    public var latitude: Double?
    /// Degrees east, WGS 84.
    public var longitude: Double?

    public init(
        pickup: PickupID, title: String, address: String? = nil, county: String? = nil, hours: String? = nil,
        latitude: Double? = nil, longitude: Double? = nil
    ) {
        self.pickup = pickup
        self.title = title
        self.address = address
        self.county = county
        self.hours = hours
        self.latitude = latitude
        self.longitude = longitude
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        pickup = try json.get("pickup")
        title = try json.get("title")
        address = try json.find("address")
        county = try json.find("county")
        hours = try json.find("hours")
        latitude = try json.find("latitude")
        longitude = try json.find("longitude")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("pickup", pickup)
        json.field("title", title)
        json.field("address", ifPresent: address)
        json.field("county", ifPresent: county)
        json.field("hours", ifPresent: hours)
        json.field("latitude", ifPresent: latitude)
        json.field("longitude", ifPresent: longitude)
    }
}
