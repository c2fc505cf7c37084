import EventSourcing
import Events
import JSON
import Vocabulary

/// A reason to hold a lot: an activity whose waiting time ends after the harvest.
struct Hold: Sendable, Equatable {
    let activity: ActivityID
    /// The end of the waiting time.
    let until: Instant
    let reason: String
    /// The reason given by the person who released it; nil while it holds.
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
    /// The end of the activity's waiting time; nil if it has none.
    var waitingUntil: Instant? {
        guard let days = details.waitingDays, days > 0 else { return nil }
        return happened.advanced(bySeconds: Double(days) * 86_400)
    }

    /// Whether a harvest at that time was too early for this activity. The same rule refuses a harvest.
    func forbids(harvestAt time: Instant) -> Bool {
        guard let waitingUntil else { return false }
        return happened <= time && time < waitingUntil
    }
}

/// The effect of one activity, as currently recorded, on lots of its plot that are already harvested. Pure.
struct HoldRule {
    let activity: ActivityID
    /// The valid version of the activity.
    let valid: ActivityRow.Record
    /// Returns the reason as a text for people, with the days of the activity and of the harvest.
    let reason: (Instant) -> String

    enum Change: Equatable {
        case hold(until: Instant, reason: String)
        case lift
    }

    /// Returns the change of a lot's holds; nil if there is none.
    ///
    /// A hold that a person released stays released unless the waiting time becomes longer.
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
