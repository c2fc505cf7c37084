public import JSON
public import Vocabulary

/// A typed event, named in the past tense. A wire name never changes its meaning; a new meaning gets a new name or
/// version.
///
/// ```
/// struct ClockStepped: Event {
///     static let name = "farm.furrow.journal.clock-stepped.v1"
///     var seconds: Double
///     init(json: borrowing JSONValue) throws(JSONError) { seconds = try json.get("seconds") }
///     func write(fields json: inout JSONWriter) { json.field("seconds", seconds) }
/// }
/// ```
public protocol Event: Sendable, JSONReadable {
    /// The name on the wire: `farm.furrow.<family>.<fact>.v<N>`.
    static var name: String { get }

    /// Writes the fields of the event's data; the caller writes the braces.
    func write(fields json: inout JSONWriter)
}

/// A decided event that is not yet in the journal.
public struct Draft: Sendable {
    /// The stream that the event is appended to.
    public var stream: String
    /// The event.
    public var event: any Event
    /// The event's id, derived from the input's natural key if it has one. If nil, the writer generates a UUIDv7.
    public var id: UUID?
    /// The time at which it happened; nil means now.
    public var time: Instant?
    /// The farm that the event belongs to, if any.
    public var farm: FarmID?
    /// The person, device or service that caused the event.
    public var actor: Actor
    /// The expected version of the stream.
    public var expected: Expectation
    /// The id shared by all events of one request.
    public var correlation: UUID?
    /// The id of the event that caused this one.
    public var causation: UUID?
    /// The W3C trace context of the request.
    public var trace: TraceParent?

    /// Creates a draft.
    public init(
        _ event: any Event, in stream: String, id: UUID? = nil, at time: Instant? = nil, farm: FarmID? = nil,
        by actor: Actor, expecting expected: Expectation = .any, correlation: UUID? = nil, causation: UUID? = nil
    ) {
        self.stream = stream
        self.event = event
        self.id = id
        self.time = time
        self.farm = farm
        self.actor = actor
        self.expected = expected
        self.correlation = correlation
        self.causation = causation
    }
}

/// The stream version that an append requires (optimistic concurrency).
public enum Expectation: Sendable, Equatable {
    /// Any version.
    case any
    /// The stream must not exist yet.
    case new
    /// The stream must have exactly this many events.
    case version(Int)
}

/// The author of an event or command: `person/<uuid>`, `node/<device>` or `service/<name>`.
public struct Actor: Hashable, Sendable, CustomStringConvertible, JSONReadable, JSONWritable {
    /// The text form, as on the wire.
    public let description: String

    private init(_ description: String) {
        self.description = description
    }

    /// Returns the actor of a person.
    public static func person(_ id: PersonID) -> Actor { Actor("person/\(id)") }
    /// Returns the actor of a device.
    public static func node(_ device: DeviceID) -> Actor { Actor("node/\(device)") }
    /// Returns the actor of a service.
    public static func service(_ name: String) -> Actor { Actor("service/\(name)") }

    /// The person; nil for a device or a service.
    public var person: PersonID? {
        description.hasPrefix("person/") ? PersonID(String(description.dropFirst("person/".count))) : nil
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        let text = try json.string()
        let kind: String? =
            switch text.utf8.first {
            case UInt8(ascii: "n"): "node/"
            case UInt8(ascii: "p"): "person/"
            case UInt8(ascii: "s"): "service/"
            default: nil
            }
        guard let kind, text.utf8.count > kind.utf8.count, text.utf8.starts(with: kind.utf8) else {
            throw json.error("expected person/…, node/… or service/…")
        }
        description = text
    }

    /// Writes the text form.
    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
