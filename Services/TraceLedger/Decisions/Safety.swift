import EventSourcing
import Events
import JSON
import Vocabulary

/// Whether a lot may be labelled, sold and handed over.
enum Safety: String, Sendable {
    case clear
    /// It was harvested before a waiting time was over, and no person has released it yet.
    case held
    case released
    case recalled
}

/// A reason to hold a lot: an activity whose waiting time reaches past the harvest.
struct Hold: Sendable, Equatable {
    let activity: ActivityID
    /// When the waiting time ends.
    let until: Instant
    let reason: String
    /// Why a person released it; nil while it holds.
    var released: String?
}

extension Hold: JSONReadable, JSONWritable {
    init(json: borrowing JSONValue) throws(JSONError) {
        activity = try json.get("activity")
        until = try json.get("until")
        reason = try json.get("reason")
        released = try json.find("released")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("activity", activity)
            json.field("until", until)
            json.field("reason", reason)
            json.field("released", ifPresent: released)
        }
    }
}

extension ActivityRow.Record {
    /// When the waiting time of the activity ends; nil if it has none.
    var waitingUntil: Instant? {
        guard let days = details.waitingDays, days > 0 else { return nil }
        return happened.advanced(bySeconds: Double(days) * 86_400)
    }

    /// Whether a harvest at that time was too early for this activity: the same rule that refuses a harvest.
    func forbids(harvestAt time: Instant) -> Bool {
        guard let waitingUntil else { return false }
        return happened <= time && time < waitingUntil
    }
}

/// What one activity, as it is known now, means for the lots of its plot that were harvested already. Pure.
struct HoldRule {
    let activity: ActivityID
    /// What is valid of it, and all versions of it.
    let valid: ActivityRow.Record
    /// How the activity and its days are written for people, given the time of the harvest.
    let reason: (Instant) -> String

    enum Change: Equatable {
        case hold(until: Instant, reason: String)
        case lift
    }

    /// A hold that a person released stays released until the waiting time gets longer.
    func change(of state: Lot.State) -> Change? {
        guard let harvested = state.harvestedAt else { return nil }
        let hold = state.holds.first { $0.activity == activity }
        guard valid.forbids(harvestAt: harvested), let until = valid.waitingUntil else {
            return hold == nil ? nil : .lift
        }
        if let hold, until <= hold.until { return nil }
        return .hold(until: until, reason: reason(harvested))
    }
}
