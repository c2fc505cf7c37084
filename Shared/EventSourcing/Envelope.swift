public import Vocabulary

/// What is known of an event beside the fact itself (CloudEvents 1.0 attributes and our extensions).
public struct Envelope: Sendable, Equatable {
    public var id: UUID
    public var origin: Origin
    public var epoch: Epoch
    public var position: Position
    /// The wire name: `farm.furrow.trace.harvested.v1`.
    public var name: String
    /// What it is about: `lot/…`, `device/…`.
    public var stream: String
    /// Which event of its stream it is: 1, 2, 3 …
    public var version: Int
    /// When it happened.
    public var time: Instant
    /// When it was written; never goes back within an epoch of an origin.
    public var recorded: Instant
    public var farm: FarmID?
    public var actor: Actor
    /// What belongs together: what one request has written, and what others decided on hearing of it.
    public var correlation: UUID?
    /// The event that led to this one.
    public var causation: UUID?
    public var trace: TraceParent?

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
