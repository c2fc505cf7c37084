public import EventSourcing
public import JSON

/// A farm's whole entry in the directory, replacing an earlier one; the farm is in the envelope.
public struct FarmProfiled: Event, Equatable {
    public static let name = "farm.furrow.catalog.farm-profiled.v1"

    public var title: String
    /// The farm's display name: `Greene`.
    public var county: String?
    /// State or province.
    public var region: String?
    public var street: String?
    /// The farm's telephone number, not a person's.
    public var telephone: String?
    public var website: String?
    public var description: String?
    /// Degrees north, WGS 84.
    public var latitude: Double?
    /// Degrees east, WGS 84.
    public var longitude: Double?
    /// SHA-256 of the picture's file, in hex.
    public var picture: String?
    /// The picture's alternative text.
    public var alt: String?
    /// Whether the farm has goods for sale, as it declares.
    public var hasGoods: Bool

    public init(
        title: String, county: String? = nil, region: String? = nil, street: String? = nil, telephone: String? = nil,
        website: String? = nil, description: String? = nil, latitude: Double? = nil, longitude: Double? = nil,
        picture: String? = nil, alt: String? = nil, hasGoods: Bool
    ) {
        self.title = title
        self.county = county
        self.region = region
        self.street = street
        self.telephone = telephone
        self.website = website
        self.description = description
        self.latitude = latitude
        self.longitude = longitude
        self.picture = picture
        self.alt = alt
        self.hasGoods = hasGoods
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        title = try json.get("title")
        county = try json.find("county")
        region = try json.find("region")
        street = try json.find("street")
        telephone = try json.find("telephone")
        website = try json.find("website")
        description = try json.find("description")
        latitude = try json.find("latitude")
        longitude = try json.find("longitude")
        picture = try json.find("picture")
        alt = try json.find("alt")
        hasGoods = try json.get("hasGoods")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("title", title)
        json.field("county", ifPresent: county)
        json.field("region", ifPresent: region)
        json.field("street", ifPresent: street)
        json.field("telephone", ifPresent: telephone)
        json.field("website", ifPresent: website)
        json.field("description", ifPresent: description)
        json.field("latitude", ifPresent: latitude)
        json.field("longitude", ifPresent: longitude)
        json.field("picture", ifPresent: picture)
        json.field("alt", ifPresent: alt)
        json.field("hasGoods", hasGoods)
    }
}
