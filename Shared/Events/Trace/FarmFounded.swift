public import EventSourcing
public import JSON

/// A farm keeps its story here.
public struct FarmFounded: Event, Equatable {
    public static let name = "farm.furrow.trace.farm-founded.v1"

    public var title: String
    /// IANA time zone: days and cut-offs are the days of this zone.
    public var zone: String
    /// ISO 3166-1, two letters.
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
