public import JSON

/// A closed set of event types, one case for each. A switch over a family must handle every event, so a new event does
/// not compile until each switch handles it.
public protocol EventFamily: Sendable {
    /// What the wire names of all events begin with, and those of other families do not.
    static var prefix: String { get }
    /// Decodes an event by its wire name. Returns nil if the name belongs to another family.
    ///
    /// Throws `JSONError` if the name is known and its data cannot be decoded.
    init?(name: String, json: borrowing JSONValue) throws(JSONError)
    /// The event of the case.
    var event: any Event { get }
    /// The types of all events, in the order of the documents.
    static var types: [any Event.Type] { get }
}

extension EventFamily {
    /// The wire names of all events, in the order of the documents.
    public static var names: [String] { types.map { $0.name } }
}
