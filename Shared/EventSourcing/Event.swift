public import JSON
public import Vocabulary

/// A typed fact in the past tense. The wire name never gets a new meaning; a new meaning is a new name or version.
public protocol Event: Sendable, JSONReadable {
    /// `farm.furrow.<family>.<fact>.v<N>`
    static var name: String { get }

    /// Writes the fields of the fact; the braces are written by the caller.
    func write(fields json: inout JSONWriter)
}

/// A decided event on its way into the journal.
public struct Draft: Sendable {
    public var stream: String
    public var event: any Event
    /// Made from the input's natural key where it has one; otherwise the writer makes one from time and chance.
    public var id: UUID?
    /// When it happened; `nil` means now.
    public var time: Instant?
    public var farm: FarmID?
    public var actor: Actor
    public var expected: Expectation
    public var correlation: UUID?
    public var causation: UUID?
    public var trace: TraceParent?

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

/// What the version of a stream must be for an append to go through.
public enum Expectation: Sendable, Equatable {
    case any
    case new
    case version(Int)
}

/// Who said so: `person/<uuid>`, `node/<device>` or `service/<name>`.
public struct Actor: Hashable, Sendable, CustomStringConvertible, JSONReadable, JSONWritable {
    public let description: String

    private init(_ description: String) {
        self.description = description
    }

    public static func person(_ id: PersonID) -> Actor { Actor("person/\(id)") }
    public static func node(_ device: DeviceID) -> Actor { Actor("node/\(device)") }
    public static func service(_ name: String) -> Actor { Actor("service/\(name)") }

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

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
