public import EventSourcing
public import JSON
public import Vocabulary

/// A person added a farm or a product to their favourites.
public struct FavouriteSet: Event, Equatable {
    public static let name = "farm.furrow.catalog.favourite-set.v1"

    public var person: PersonID
    public var favourite: Favourite

    public init(person: PersonID, favourite: Favourite) {
        self.person = person
        self.favourite = favourite
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        person = try json.get("person")
        favourite = try json.get("favourite")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("person", person)
        json.field("favourite", favourite)
    }
}
