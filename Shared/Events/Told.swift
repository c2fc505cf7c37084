public import EventSourcing
public import JSON
import Wire

/// Any event of the house.
public enum Fact: Sendable {
    case journal(JournalFact)
    case sensors(SensorsFact)
    case trace(TraceFact)
    case sync(SyncFact)
    case catalog(CatalogFact)
    case orders(OrdersFact)
    case recommendations(RecommendationsFact)
}

extension Fact {
    /// Reads the data of an event of this name.
    init(_ name: String, _ data: borrowing JSONValue, lifting upcasters: Upcasters) throws(JSONError) {
        if let fact = try SensorsFact(name: name, json: data) {
            self = .sensors(fact)
        } else if let fact = try TraceFact(name: name, json: data) {
            self = .trace(fact)
        } else if let fact = try JournalFact(name: name, json: data) {
            self = .journal(fact)
        } else if let fact = try SyncFact(name: name, json: data) {
            self = .sync(fact)
        } else if let fact = try CatalogFact(name: name, json: data) {
            self = .catalog(fact)
        } else if let fact = try OrdersFact(name: name, json: data) {
            self = .orders(fact)
        } else if let fact = try RecommendationsFact(name: name, json: data) {
            self = .recommendations(fact)
        } else if let (newer, lifted) = try upcasters.lift(name, data) {
            try self.init(newer, JSONValue.parse(lifted), lifting: upcasters)
        } else {
            throw JSONError(message: "\(name.prefix(100)) is not known to this version of Furrow", path: "type")
        }
    }
}

/// An event as told: what is known of it, and the fact itself.
///
/// A class, though it never changes: it goes from hand to hand, and has many members.
public final class Told: Sendable {
    public let envelope: Envelope
    public let fact: Fact

    public init(_ envelope: Envelope, _ fact: Fact) {
        self.envelope = envelope
        self.fact = fact
    }

    /// Reads an event's bytes. An unknown name is an error: skipping what one cannot read would be a hole.
    public init(reading bytes: [UInt8]) throws(JSONError) {
        let (envelope, data) = try EnvelopeCodec.read(bytes)
        fact = try Fact(envelope.name, data, lifting: .published)
        self.envelope = envelope
    }

    /// All events, as they are written today.
    public static let types: [any Event.Type] =
        SensorsFact.types + TraceFact.types + JournalFact.types + SyncFact.types + CatalogFact.types
        + OrdersFact.types + RecommendationsFact.types

    /// The wire names of all events.
    public static let names =
        SensorsFact.names + TraceFact.names + JournalFact.names + SyncFact.names + CatalogFact.names
        + OrdersFact.names + RecommendationsFact.names
}
