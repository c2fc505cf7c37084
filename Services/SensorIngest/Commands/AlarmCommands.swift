import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The commands by which people take charge of alarms and set who is notified of them.
struct AlarmCommands {
    let tables: any Tables
    let ask: Request

    /// Handles `acknowledge-alarm`. Throws a 404 for an unknown alarm, and a 409 for one that is cleared or is
    /// not the one that was raised at the time `raised` of the body.
    func acknowledge(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let rule = RuleID(try body.name("rule"))
        let point = PointID(try body.name("point"))
        let comment = try body.optionalText("comment", limit: 500)
        guard let row = tables.get(AlarmRow.self, AlarmRow.key(rule, point)) else {
            throw Problem(404, "unknown-alarm", "\(rule) raised no alarm at \(point).")
        }
        guard row.isOn else {
            throw Problem(409, "alarm-cleared", "This alarm is over.")
        }
        if let raised: Instant = try body.find("raised"), raised != row.raised {
            throw Problem(409, "another-alarm", "This alarm is over, and another one was raised at \(row.raised).")
        }
        let event = AlarmAcknowledged(rule: rule, point: point, comment: comment)
        let draft = Draft(event, in: row.stream, by: ask.actor)
        // A second person does not replace the first.
        let drafts = row.handling.acknowledged == nil ? [draft] : []
        let response = Response.made { json in
            json.field("rule", rule)
            json.field("point", point)
        }
        return (drafts, response)
    }

    /// Handles `set-on-call`. Throws a 422 if the steps are not in the order of their times.
    func setOnCall(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let steps: [OnCallStep] = try body.get("steps")
        guard steps.count <= SensorLimits.onCallSteps else {
            throw Problem(422, "too-many", "Set \(SensorLimits.onCallSteps) steps at most.")
        }
        for (index, step) in steps.enumerated() {
            guard (1...SensorLimits.onCallPeople).contains(step.people.count) else {
                throw Problem(
                    422, "no-people", "Step \(index + 1): name 1 to \(SensorLimits.onCallPeople) people.")
            }
            let earlier = index == 0 ? -1 : steps[index - 1].afterMinutes
            guard step.afterMinutes > earlier, index > 0 || step.afterMinutes == 0 else {
                throw Problem(
                    422, "wrong-order",
                    "Step \(index + 1): the first has afterMinutes 0, each later one more than the one before.")
            }
        }
        let repeatMinutes: Int? = try body.find("repeatMinutes")
        guard repeatMinutes.map({ (1...SensorLimits.onCallMinutes).contains($0) }) ?? true else {
            throw Problem(400, "malformed", "repeatMinutes: use 1 to \(SensorLimits.onCallMinutes).")
        }
        let event = OnCallSet(steps: steps, repeatMinutes: repeatMinutes)
        return ([Draft(event, in: "on-call", by: ask.actor)], .made { $0.field("steps", steps.count) })
    }
}

/// The notifications that become due as time passes.
struct EscalationClock {
    private var looked: Instant?

    /// Returns the requests that are due, looking once a second.
    mutating func due(at now: Instant, _ tables: any Tables) -> [Draft] {
        if let looked, (0..<1).contains(now.seconds(since: looked)) { return [] }
        looked = now
        guard let setting = tables.get(OnCallRow.self, OnCallRow.key)?.setting else { return [] }
        return tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max).compactMap { alarm in
            guard let step = Escalation.next(alarm.handling, at: now, by: setting) else { return nil }
            let request = alarm.notification(ofStep: step, by: setting, in: tables)
            return Draft(request, in: alarm.stream, by: .service(SensorIngest.name))
        }
    }
}
