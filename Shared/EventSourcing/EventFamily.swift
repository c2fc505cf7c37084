public import JSON

/// A closed set of events: a case for each, so that every switch over it must answer for a new one.
public protocol EventFamily: Sendable {
    /// Nil if the name is none of this family's; an error if it is and its data cannot be read.
    init?(name: String, json: borrowing JSONValue) throws(JSONError)
    var event: any Event { get }
    /// All members, as they are written today.
    static var types: [any Event.Type] { get }
    /// The wire names of all members.
    static var names: [String] { get }
}

extension EventFamily {
    public static var types: [any Event.Type] { [] }
}

/// What every journal tells about itself.
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

    public static let names = [
        EpochBegan.name, FeedConsumed.name, ParkedResolved.name, FollowAccepted.name, ClockStepped.name,
        ClockTrusted.name, SealKeyAnnounced.name, JournalSealed.name, JournalPruned.name, WitnessRequested.name,
        CheckpointWitnessed.name,
    ]

    public static let types: [any Event.Type] = [
        EpochBegan.self, FeedConsumed.self, ParkedResolved.self, FollowAccepted.self, ClockStepped.self,
        ClockTrusted.self, SealKeyAnnounced.self, JournalSealed.self, JournalPruned.self, WitnessRequested.self,
        CheckpointWitnessed.self,
    ]
}
