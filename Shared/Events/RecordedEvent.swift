public import EventSourcing
public import JSON
import Wire

/// Any event of the house.
public enum EventPayload: Sendable {
    case journal(JournalEvent)
    case sensors(SensorsEvent)
    case trace(TraceEvent)
    case sync(SyncEvent)
    case catalog(CatalogEvent)
    case orders(OrdersEvent)
    case recommendations(RecommendationsEvent)
}

extension EventPayload {
    /// Reads the data of an event of this name.
    init(_ name: String, _ data: borrowing JSONValue, lifting upcasters: Upcasters) throws(JSONError) {
        if let fact = try SensorsEvent(name: name, json: data) {
            self = .sensors(fact)
        } else if let fact = try TraceEvent(name: name, json: data) {
            self = .trace(fact)
        } else if let fact = try JournalEvent(name: name, json: data) {
            self = .journal(fact)
        } else if let fact = try SyncEvent(name: name, json: data) {
            self = .sync(fact)
        } else if let fact = try CatalogEvent(name: name, json: data) {
            self = .catalog(fact)
        } else if let fact = try OrdersEvent(name: name, json: data) {
            self = .orders(fact)
        } else if let fact = try RecommendationsEvent(name: name, json: data) {
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
public final class RecordedEvent: Sendable {
    public let envelope: Envelope
    public let fact: EventPayload

    public init(_ envelope: Envelope, _ fact: EventPayload) {
        self.envelope = envelope
        self.fact = fact
    }

    /// Reads an event's bytes. An unknown name is an error: skipping what one cannot read would be a hole.
    public init(reading bytes: [UInt8]) throws(JSONError) {
        let (envelope, data) = try EnvelopeCodec.read(bytes)
        fact = try EventPayload(envelope.name, data, lifting: .published)
        self.envelope = envelope
    }

    /// All events, as they are written today.
    public static let types: [any Event.Type] =
        SensorsEvent.types + TraceEvent.types + JournalEvent.types + SyncEvent.types + CatalogEvent.types
        + OrdersEvent.types + RecommendationsEvent.types

    /// The wire names of all events.
    public static let names =
        SensorsEvent.names + TraceEvent.names + JournalEvent.names + SyncEvent.names + CatalogEvent.names
        + OrdersEvent.names + RecommendationsEvent.names
}
