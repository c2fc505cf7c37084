public import Vocabulary

/// The metadata of a recorded event: CloudEvents 1.0 attributes and Furrow's extensions.
public struct Envelope: Sendable, Equatable {
    /// The event's id, unique within its journal.
    public var id: UUID
    /// The service instance that wrote the event.
    public var origin: Origin
    /// The epoch of the origin's journal in which it was written.
    public var epoch: Epoch
    /// The position in the origin's journal.
    public var position: Position
    /// The event's name on the wire, such as `farm.furrow.trace.harvested.v1`.
    public var name: String
    /// The stream of the event, such as `lot/…` or `device/…`.
    public var stream: String
    /// The number of the event in its stream: 1, 2, 3 …
    public var version: Int
    /// The time at which it happened.
    public var time: Instant
    /// The time at which it was written; never decreases within an epoch of an origin.
    public var recorded: Instant
    /// The farm that the event belongs to, if any.
    public var farm: FarmID?
    /// The person, device or service that caused the event.
    public var actor: Actor
    /// The id shared by all events of one request, including those that other services decided in response.
    public var correlation: UUID?
    /// The id of the event that caused this one.
    public var causation: UUID?
    /// The W3C trace context of the request.
    public var trace: TraceParent?

    /// Creates an envelope.
    @inlinable
    public init(
        id: UUID, origin: Origin, epoch: Epoch, position: Position, name: String, stream: String, version: Int,
        time: Instant, recorded: Instant, farm: FarmID?, actor: Actor, correlation: UUID?, causation: UUID?,
        trace: TraceParent? = nil
    ) {
        self.id = id
        self.origin = origin
        self.epoch = epoch
        self.position = position
        self.name = name
        self.stream = stream
        self.version = version
        self.time = time
        self.recorded = recorded
        self.farm = farm
        self.actor = actor
        self.correlation = correlation
        self.causation = causation
        self.trace = trace
    }
}
