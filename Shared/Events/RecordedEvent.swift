public import EventSourcing
public import JSON
import Wire

/// The payload of an event of any family.
public enum EventPayload: Sendable {
    case journal(JournalEvent)
    case sensors(SensorsEvent)
    case trace(TraceEvent)
    case inventory(InventoryEvent)
    case sync(SyncEvent)
    case catalog(CatalogEvent)
    case orders(OrdersEvent)
    case recommendations(RecommendationsEvent)
}

/// An event of a declared type, which need not be read back to become a payload: what is written and read is equal.
public protocol DeclaredEvent: Event {
    /// The event as a payload.
    var eventPayload: EventPayload { get }
}

extension EventPayload {
    /// Reads the data of an event of this name; throws for an unknown name.
    init(_ name: String, _ data: borrowing JSONValue, lifting upcasters: Upcasters) throws(JSONError) {
        // Almost all events are of sensors; the prefix spares the names of the other families.
        if let event = try SensorsEvent(name: name, json: data) {
            self = .sensors(event)
        } else if name.hasPrefix(TraceEvent.prefix), let event = try TraceEvent(name: name, json: data) {
            self = .trace(event)
        } else if name.hasPrefix(InventoryEvent.prefix), let event = try InventoryEvent(name: name, json: data) {
            self = .inventory(event)
        } else if name.hasPrefix(JournalEvent.prefix), let event = try JournalEvent(name: name, json: data) {
            self = .journal(event)
        } else if name.hasPrefix(OrdersEvent.prefix), let event = try OrdersEvent(name: name, json: data) {
            self = .orders(event)
        } else if name.hasPrefix(CatalogEvent.prefix), let event = try CatalogEvent(name: name, json: data) {
            self = .catalog(event)
        } else if name.hasPrefix(SyncEvent.prefix), let event = try SyncEvent(name: name, json: data) {
            self = .sync(event)
        } else if name.hasPrefix(RecommendationsEvent.prefix),
            let event = try RecommendationsEvent(name: name, json: data)
        {
            self = .recommendations(event)
        } else if let (newer, lifted) = try upcasters.lift(name, data) {
            try self.init(newer, JSONValue.parse(lifted), lifting: upcasters)
        } else {
            throw JSONError(message: "\(name.prefix(100)) is not known to this version of Furrow", path: "type")
        }
    }
}

/// An event and its envelope, as stored in a journal.
///
/// A class, although immutable: it is passed around often and has many members.
///
/// ```
/// let recorded = try RecordedEvent(reading: entry.bytes)
/// if case .trace(.harvested(let harvested)) = recorded.fact { apply(harvested, at: recorded.envelope.time) }
/// ```
public final class RecordedEvent: Sendable {
    /// The metadata: id, stream, version, time, actor.
    public let envelope: Envelope
    /// The payload.
    public let fact: EventPayload

    /// Creates a recorded event.
    public init(_ envelope: Envelope, _ fact: EventPayload) {
        self.envelope = envelope
        self.fact = fact
    }

    /// Reads an event's bytes; throws for an unknown name, because skipping the event would lose data.
    public init(reading bytes: [UInt8]) throws(JSONError) {
        let (envelope, data) = try EnvelopeCodec.read(bytes)
        fact = try EventPayload(envelope.name, data, lifting: .published)
        self.envelope = envelope
    }

    /// All event types that are written today.
    public static let types: [any Event.Type] =
        SensorsEvent.types + TraceEvent.types + InventoryEvent.types + JournalEvent.types + SyncEvent.types
        + CatalogEvent.types + OrdersEvent.types + RecommendationsEvent.types

    /// The wire names of all event types that are written today.
    public static let names =
        SensorsEvent.names + TraceEvent.names + InventoryEvent.names + JournalEvent.names + SyncEvent.names
        + CatalogEvent.names + OrdersEvent.names + RecommendationsEvent.names
}
