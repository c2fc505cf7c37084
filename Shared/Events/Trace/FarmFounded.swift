public import EventSourcing
public import JSON

/// A farm was set up.
public struct FarmFounded: Event, Equatable {
    public static let name = "farm.furrow.trace.farm-founded.v1"

    public var title: String
    /// The IANA time zone of the farm's days and cut-off times.
    public var zone: String
    /// The country (ISO 3166-1, two letters).
    public var country: String?

    public init(title: String, zone: String, country: String? = nil) {
        self.title = title
        self.zone = zone
        self.country = country
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        title = try json.get("title")
        zone = try json.get("zone")
        country = try json.find("country")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("title", title)
        json.field("zone", zone)
        json.field("country", ifPresent: country)
    }
}
