public import JSON
public import Vocabulary

/// What is told of a product.
public struct ProductDetails: Sendable, Equatable, JSONReadable, JSONWritable {
    public var title: String
    /// What one of it is: `box of 5 kg`, `bunch`.
    public var unit: String
    /// What it is among, in small letters: `vegetables`.
    public var category: String?
    public var description: String?
    public var gtin: GTIN?
    /// SHA-256 of a picture among the media, in hex.
    public var picture: String?
    /// What the picture shows, for those who do not see it.
    public var alt: String?

    public init(
        title: String, unit: String, category: String? = nil, description: String? = nil, gtin: GTIN? = nil,
        picture: String? = nil, alt: String? = nil
    ) {
        self.title = title
        self.unit = unit
        self.category = category
        self.description = description
        self.gtin = gtin
        self.picture = picture
        self.alt = alt
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        title = try json.get("title")
        unit = try json.get("unit")
        category = try json.find("category")
        description = try json.find("description")
        gtin = try json.find("gtin")
        picture = try json.find("picture")
        alt = try json.find("alt")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("title", title)
            json.field("unit", unit)
            json.field("category", ifPresent: category)
            json.field("description", ifPresent: description)
            json.field("gtin", ifPresent: gtin)
            json.field("picture", ifPresent: picture)
            json.field("alt", ifPresent: alt)
        }
    }
}
