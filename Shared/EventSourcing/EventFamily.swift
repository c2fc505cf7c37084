public import JSON

/// A closed set of event types, one case for each. A switch over a family must handle every event, so a new event does
/// not compile until each switch handles it.
public protocol EventFamily: Sendable {
    /// Decodes an event by its wire name. Returns nil if the name belongs to another family.
    ///
    /// Throws `JSONError` if the name is known and its data cannot be decoded.
    init?(name: String, json: borrowing JSONValue) throws(JSONError)
    /// The event of the case.
    var event: any Event { get }
    /// The types of all members that services still write.
    static var types: [any Event.Type] { get }
    /// The wire names of all members.
    static var names: [String] { get }
}

extension EventFamily {
    /// Empty, for families that nothing enumerates.
    public static var types: [any Event.Type] { [] }
}

/// The events that a journal records about itself, beside those of its service.
public enum JournalEvent: EventFamily {
    case epochBegan(EpochBegan)
    case feedConsumed(FeedConsumed)
    case parkedResolved(ParkedResolved)
    case followAccepted(FollowAccepted)
    case clockStepped(ClockStepped)
    case clockTrusted(ClockTrusted)
    case sealKeyAnnounced(SealKeyAnnounced)
    case sealed(JournalSealed)
    case pruned(JournalPruned)
    case witnessRequested(WitnessRequested)
    case checkpointWitnessed(CheckpointWitnessed)

    /// Decodes a journal event. Returns nil for any other name; throws if the data cannot be decoded.
    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case EpochBegan.name: self = .epochBegan(try EpochBegan(json: json))
        case FeedConsumed.name: self = .feedConsumed(try FeedConsumed(json: json))
        case ParkedResolved.name: self = .parkedResolved(try ParkedResolved(json: json))
        case FollowAccepted.name: self = .followAccepted(try FollowAccepted(json: json))
        case ClockStepped.name: self = .clockStepped(try ClockStepped(json: json))
        case ClockTrusted.name: self = .clockTrusted(try ClockTrusted(json: json))
        case SealKeyAnnounced.name: self = .sealKeyAnnounced(try SealKeyAnnounced(json: json))
        case JournalSealed.name: self = .sealed(try JournalSealed(json: json))
        case JournalPruned.name: self = .pruned(try JournalPruned(json: json))
        case WitnessRequested.name: self = .witnessRequested(try WitnessRequested(json: json))
        case CheckpointWitnessed.name: self = .checkpointWitnessed(try CheckpointWitnessed(json: json))
        default: return nil
        }
    }

    /// The event of the case.
    public var event: any Event {
        switch self {
        case .epochBegan(let event): event
        case .feedConsumed(let event): event
        case .parkedResolved(let event): event
        case .followAccepted(let event): event
        case .clockStepped(let event): event
        case .clockTrusted(let event): event
        case .sealKeyAnnounced(let event): event
        case .sealed(let event): event
        case .pruned(let event): event
        case .witnessRequested(let event): event
        case .checkpointWitnessed(let event): event
        }
    }

    /// The wire names of all members.
    public static let names = [
        EpochBegan.name, FeedConsumed.name, ParkedResolved.name, FollowAccepted.name, ClockStepped.name,
        ClockTrusted.name, SealKeyAnnounced.name, JournalSealed.name, JournalPruned.name, WitnessRequested.name,
        CheckpointWitnessed.name,
    ]

    /// The types of all members.
    public static let types: [any Event.Type] = [
        EpochBegan.self, FeedConsumed.self, ParkedResolved.self, FollowAccepted.self, ClockStepped.self,
        ClockTrusted.self, SealKeyAnnounced.self, JournalSealed.self, JournalPruned.self, WitnessRequested.self,
        CheckpointWitnessed.self,
    ]
}
