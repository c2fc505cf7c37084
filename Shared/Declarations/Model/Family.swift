/// The events of one subject, with the records and sets of texts inside them.
public struct Family: Sendable {
    /// The name within wire names: `sensors`.
    public let name: String
    /// The subject.
    public let documentation: String
    /// The events, in the order in which they are documented.
    public let events: [EventType]
    /// The records whose Swift types belong to the family.
    public let records: [RecordType]
    /// The sets of texts whose Swift types belong to the family.
    public let enums: [EnumType]

    /// Declares a family.
    public init(
        _ name: String, _ documentation: String, records: [RecordType] = [], enums: [EnumType] = [],
        @EventList _ events: () -> [EventType]
    ) {
        self.name = name
        self.documentation = documentation
        self.events = events()
        self.records = records
        self.enums = enums
    }

    /// What the wire names of all its events begin with.
    public var prefix: String { "farm.furrow.\(name)." }

    /// Returns the event of a fact. Requires that it is declared.
    func event(_ fact: String) -> EventType {
        guard let event = events.first(where: { $0.fact == fact }) else { preconditionFailure("no event \(fact)") }
        return event
    }

    /// All families, in the order of the documents.
    public static let all: [Family] = [
        .sensors, .trace, .inventory, .journal, .sync, .catalog, .orders, .recommendations,
    ]
}

/// Collects the events of a family.
@resultBuilder
public enum EventList {
    public static func buildBlock(_ events: EventType...) -> [EventType] { events }
}
