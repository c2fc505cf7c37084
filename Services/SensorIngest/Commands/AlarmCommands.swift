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
    let now: Instant
    /// Returns the time zone of a name; nil if there is none.
    let zone: (String) -> Zone?

    /// Handles `acknowledge-alarm`. Throws a 404 for an unknown alarm, and a 409 for one that is cleared or is
    /// not the one that was raised at the time `raised` of the command.
    func acknowledge(_ command: AcknowledgeAlarm) throws(Problem) -> ([Draft], Response) {
        let row = try alarm(of: command.rule, at: command.point)
        guard row.isOn else {
            throw Problem(409, "alarm-cleared", "This alarm is over.")
        }
        if let raised = command.raised, raised != row.raised {
            throw Problem(409, "another-alarm", "This alarm is over, and another one was raised at \(row.raised).")
        }
        let event = AlarmAcknowledged(rule: row.rule, point: row.point, comment: command.comment)
        let draft = Draft(event, in: row.stream, by: ask.actor)
        // A second person does not replace the first.
        let drafts = row.handling.acknowledged == nil ? [draft] : []
        let response = Response.made { json in
            json.field("rule", row.rule)
            json.field("point", row.point)
        }
        return (drafts, response)
    }

    /// Handles `shelve-alarm`: mutes an alarm for some minutes, or ends that if they are 0. Throws a 404 for an alarm
    /// that was never raised.
    func shelve(_ command: ShelveAlarm) throws(Problem) -> ([Draft], Response) {
        let row = try alarm(of: command.rule, at: command.point)
        let until = now.advanced(bySeconds: Double(command.minutes) * 60)
        let event = AlarmShelved(rule: row.rule, point: row.point, until: until, comment: command.comment)
        // Ending the shelving of an alarm that is not muted records nothing.
        let drafts =
            command.minutes > 0 || row.isShelved(at: now, in: tables)
            ? [Draft(event, in: row.stream, by: ask.actor)] : []
        let response = Response.made { json in
            json.field("rule", row.rule)
            json.field("point", row.point)
            json.field("until", until)
        }
        return (drafts, response)
    }

    /// Returns the alarm of a limit at a point; throws a 404 if it was never raised.
    private func alarm(of rule: RuleID, at point: PointID) throws(Problem) -> AlarmRow {
        guard let row = tables.get(AlarmRow.self, AlarmRow.key(rule, point)) else {
            throw Problem(404, "unknown-alarm", "\(rule) raised no alarm at \(point).")
        }
        return row
    }

    /// Handles `set-on-call`. Throws a 422 if the steps are not in the order of their times.
    func setOnCall(_ command: SetOnCall) throws(Problem) -> ([Draft], Response) {
        let steps = command.steps
        for (index, step) in steps.enumerated() {
            let people = step.people.count + (step.onCall == true ? 1 : 0)
            guard (1...SensorLimits.onCallPeople).contains(people) else {
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
        if let quiet = command.quiet { try check(quiet) }
        if let weeks = command.weeks { try check(weeks) }
        guard command.weeks != nil || steps.allSatisfy({ $0.onCall != true }) else {
            throw Problem(422, "no-weeks", "steps: set weeks, so that a person is on call.")
        }
        let event = OnCallSet(
            steps: steps, repeatMinutes: command.repeatMinutes, quiet: command.quiet, weeks: command.weeks)
        return ([Draft(event, in: "on-call", by: ask.actor)], .made { $0.field("steps", steps.count) })
    }
}

extension AlarmCommands {
    private func check(_ weeks: OnCallWeeks) throws(Problem) {
        guard (1...SensorLimits.onCallPeople).contains(weeks.people.count) else {
            throw Problem(422, "no-people", "weeks: name 1 to \(SensorLimits.onCallPeople) people.")
        }
        guard weeks.swaps.count <= SensorLimits.onCallSwaps else {
            throw Problem(
                422, "too-many", "weeks: name \(SensorLimits.onCallSwaps) swaps at most; leave past ones out.")
        }
        guard zone(weeks.zone) != nil else {
            throw Problem(422, "unknown-zone", "weeks: this server has no time zone \(weeks.zone).")
        }
    }

    private func check(_ quiet: QuietHours) throws(Problem) {
        guard let from = QuietHours.minute(quiet.from), let to = QuietHours.minute(quiet.to) else {
            throw Problem(400, "malformed", "quiet: write from and to as 21:30.")
        }
        guard from != to else { throw Problem(422, "always-quiet", "quiet: from and to must differ.") }
        guard zone(quiet.zone) != nil else {
            throw Problem(422, "unknown-zone", "quiet: this server has no time zone \(quiet.zone).")
        }
    }
}

/// The notifications that become due as time passes.
struct EscalationClock {
    private var looked: Instant?

    /// Returns the requests that are due, looking once a second.
    mutating func due(at now: Instant, _ onCall: OnCall?, _ tables: any Tables) -> [Draft] {
        if let looked, (0..<1).contains(now.seconds(since: looked)) { return [] }
        looked = now
        guard let onCall else { return [] }
        return tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max).compactMap { alarm in
            guard let step = step(of: alarm, at: now, by: onCall, tables) else { return nil }
            let request = onCall.notification(of: alarm, step: step, at: now, in: tables)
            return Draft(request, in: alarm.stream, by: .service(SensorIngest.name))
        }
    }

    /// Returns the step of which people are to be notified now: a later one, or the first one after a shelving.
    private func step(of alarm: AlarmRow, at now: Instant, by onCall: OnCall, _ tables: any Tables) -> Int? {
        guard let shelf = tables.get(ShelvedRow.self, alarm.key), shelf.until > alarm.raised else {
            return onCall.next(alarm, at: now)
        }
        guard !shelf.isShelved(at: now) else { return nil }
        return onCall.first(alarm, ageSeconds: age(of: alarm, at: now, tables), at: now) ?? onCall.next(alarm, at: now)
    }

    /// Returns the age in seconds of the newest report of an alarm's device; 0 if the alarm depends on no reports.
    private func age(of alarm: AlarmRow, at now: Instant, _ tables: any Tables) -> Double {
        guard alarm.quantity.isReported else { return 0 }
        return now.seconds(since: tables.get(DeviceRow.self, alarm.device.rawValue)?.last ?? alarm.raised)
    }
}
