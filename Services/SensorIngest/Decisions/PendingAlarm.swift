import Events
import Vocabulary

/// What is remembered of a rule at a point from one report to the next. A process that restarts begins without it.
struct PendingAlarm {
    /// The device of the values. The state is discarded if the point gets another one.
    private let device: DeviceID
    /// The minutes of a rule of change. The state is discarded if they are changed.
    private let overMinutes: Int?
    /// Since when the values have been beyond the limit; nil if the newest is not.
    private var since: Instant?
    /// Which of the last reports were beyond the limit, the newest last. Only as many as the rule counts.
    private var reports: [Bool] = []
    private var window: ChangeWindow?

    /// Whether a rule needs anything to be remembered.
    static func isNeeded(for rule: RuleSet) -> Bool {
        rule.enabled && (rule.forSeconds != nil || rule.reports != nil || rule.isOfChange)
    }

    init(_ first: Alarm.Command) {
        device = first.device
        overMinutes = first.rule.overMinutes
        window = overMinutes.map(ChangeWindow.init)
    }

    func isFor(_ command: Alarm.Command) -> Bool {
        device == command.device && overMinutes == command.rule.overMinutes
    }

    /// Adds a value and returns what it means by the rule; nil if the window of a rule of change is not complete, so
    /// that the alarm cannot be cleared yet.
    ///
    /// - Parameter isOn: Whether the alarm is on.
    mutating func add(_ command: Alarm.Command, at time: Instant, isOn: Bool) -> Alarm.Command? {
        let rule = command.rule
        var command = command
        if var window {
            window.add(command.value, at: time)
            command.value = rule.decisiveChange(window.changes(to: command.value))
            self.window = window
            if isOn, !window.isComplete(at: time) { return nil }
        }
        let isBeyond = rule.limit(exceededBy: command.value) != nil
        // A report that the clock stamped before it was set back is no beginning.
        since = isBeyond ? min(since ?? time, time) : nil
        command.beyondSeconds = since.map { time.seconds(since: $0) } ?? 0
        if let share = rule.reports {
            reports = (reports + [isBeyond]).suffix(share.of)
            command.beyondReports = reports.count { $0 }
        }
        return command
    }
}
