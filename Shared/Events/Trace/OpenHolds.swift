public import Vocabulary

/// The activities for which a lot is on hold; a pure projection of the hold events.
public struct OpenHolds: Sendable, Equatable {
    /// The activities, ordered by their ids.
    public private(set) var activities: [ActivityID] = []

    /// Creates an empty projection: the lot is not on hold.
    public init() {}

    /// Reads the format of `text`; activity ids contain no spaces.
    public init(text: String) {
        activities = text.split(separator: " ").map { ActivityID(String($0)) }
    }

    public var text: String { activities.map(\.rawValue).joined(separator: " ") }
    /// Whether the lot must not be labelled, sold or handed over.
    public var isHeld: Bool { !activities.isEmpty }

    /// Applies a change of the lot's holds.
    public mutating func apply(_ change: HoldChange) {
        switch change.kind {
        case .held(let activity):
            guard !activities.contains(activity) else { return }
            activities = (activities + [activity]).sorted { $0.rawValue < $1.rawValue }
        case .lifted(let activity): activities.removeAll { $0 == activity }
        case .released: activities = []
        }
    }
}

/// The change that an event makes to the holds of lots.
public struct HoldChange: Sendable {
    /// Whether one hold begins, one ends, or a person released the lots from all holds.
    public enum Kind: Sendable {
        case held(ActivityID)
        case lifted(ActivityID)
        case released
    }

    /// The event's lot and all lots that were split off it.
    public let lots: [LotID]
    public let kind: Kind
}

extension TraceEvent {
    /// Returns what the event changes about holds; nil for all other events.
    public var holdChange: HoldChange? {
        switch self {
        case .lotHeld(let event): HoldChange(lots: [event.lot] + event.includes, kind: .held(event.activity))
        case .lotHoldLifted(let event): HoldChange(lots: [event.lot] + event.includes, kind: .lifted(event.activity))
        case .lotReleased(let event): HoldChange(lots: [event.lot] + event.includes, kind: .released)
        case .farmFounded, .plotLaidOut, .storeOpened, .activityRecorded, .activityCorrected, .harvested,
            .harvestCorrected, .lotSplit, .packed, .stored, .handedOver, .lotRecalled, .labelKeyAdded,
            .labelKeyRevoked, .labelsPrinted, .passportIssued, .goodsLimitsSet, .storageLimitsChanged,
            .photographTaken, .photographChosen, .photographRemoved:
            nil
        }
    }
}
