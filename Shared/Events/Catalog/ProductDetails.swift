public import JSON
public import Vocabulary

/// The description of a product.
public struct ProductDetails: Sendable, Equatable, JSONReadable, JSONWritable {
    public var title: String
    /// The unit in which it is sold: `box of 5 kg`, `bunch`.
    public var unit: String
    /// The category, in small letters: `vegetables`.
    public var category: String?
    public var description: String?
    public var gtin: GTIN?
    /// SHA-256 of the picture's file, in hex.
    public var picture: String?
    /// The picture's alternative text.
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
