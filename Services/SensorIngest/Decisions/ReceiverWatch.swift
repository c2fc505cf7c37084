import EventSourcing
import Events
import Vocabulary

/// Raises an alarm of each receiver through which nothing comes any more: a gateway, a ZigBee coordinator, a Bluetooth
/// controller. So one notification names the cause, instead of one for each place that falls silent.
///
/// A receiver is silent after five minutes without any report, if at least two of its devices are overdue by half an
/// interval: one device may have failed itself. A limit of a place for the quantity `reception` sets other minutes, or
/// switches these alarms off. A radio of this process that does not work is silent when it was so at two looks.
///
/// A receiver is known by the measuring points whose newest report came through it. The alarm belongs to the
/// place of most of them, and ends when anything comes through, or when other receivers have taken over all.
struct ReceiverWatch {
    /// The rule of alarms at places without a limit of their own.
    static let rule = RuleID("receiver")

    /// The reports that came through one receiver.
    struct Reception {
        /// How many of its devices are overdue by half an interval.
        fileprivate(set) var overdue = 0
        /// The time of the newest report, and the running seconds since.
        fileprivate(set) var newest: Instant
        fileprivate(set) var quietSeconds: Double
        fileprivate var points: [Place: Int] = [:]

        /// The place of most of its points, the first one by name if there are several.
        fileprivate var place: Place? {
            points.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }?.key
        }
    }

    /// The radios of this process that did not work at the last look.
    private var troubled: Set<String> = []

    /// Returns the alarms that are raised and cleared, their notifications, and the receivers that are silent.
    ///
    /// - Parameter troubles: The radios of this process that do not work.
    mutating func due(
        _ receptions: Receptions, troubles: Set<String>, at now: Instant, _ onCall: OnCall?, _ tables: any Tables
    ) -> (drafts: [Draft], silent: Set<String>) {
        let broken = troubled.intersection(troubles)
        troubled = troubles
        var drafts: [Draft] = []
        var silent: Set<String> = []
        var known: Set<String> = []
        for alarm in tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max)
        where alarm.quantity == .reception {
            let source = alarm.device.rawValue
            known.insert(source)
            let reception = receptions.byReceiver[source]
            let rule = reception?.place.map { PlaceRule(of: $0, tables) }
            let isOver = reception.map { $0.newest > alarm.raised && !broken.contains(source) } ?? true
            if isOver || rule?.isEnabled == false {
                drafts.append(draft(alarm.clearing(after: reception?.newest ?? now, at: now), of: alarm))
            } else {
                silent.insert(source)
            }
        }
        for (source, reception) in receptions.byReceiver.sorted(by: { $0.key < $1.key }) where !known.contains(source) {
            guard let place = reception.place else { continue }
            let rule = PlaceRule(of: place, tables)
            guard rule.isEnabled, broken.contains(source) || rule.isExceeded(by: reception) else { continue }
            silent.insert(source)
            drafts += raise(source, reception, rule, at: place, now: now, onCall, tables)
        }
        return (drafts, silent)
    }

    private func raise(
        _ source: String, _ reception: Reception, _ rule: PlaceRule, at place: Place, now: Instant, _ onCall: OnCall?,
        _ tables: any Tables
    ) -> [Draft] {
        let minutes = (max(reception.quietSeconds, now.seconds(since: reception.newest)) / 60).rounded(.down)
        let event = AlarmRaised(
            rule: rule.rule, point: ReceiverName.point(source), place: place, device: DeviceID(source),
            quantity: .reception, value: minutes, limit: (rule.seconds / 60).rounded(.up), urgent: rule.urgent)
        let before = tables.get(AlarmRow.self, AlarmRow.key(event.rule, event.point))
        let alarm = AlarmRow(event, at: now, after: before)
        let raised = draft(event, of: alarm)
        guard let onCall, !alarm.isShelved(at: now, in: tables), let step = onCall.first(alarm, ageSeconds: 0, at: now)
        else { return [raised] }
        return [raised, draft(onCall.notification(of: alarm, step: step, at: now, in: tables), of: alarm)]
    }

    private func draft(_ event: any Event, of alarm: AlarmRow) -> Draft {
        Draft(event, in: alarm.stream, by: .service(SensorIngest.name))
    }

    /// When a receiver of a place is silent.
    private struct PlaceRule {
        private static let usualSeconds = 300.0

        let rule: RuleID
        let isEnabled: Bool
        let seconds: Double
        let urgent: Bool?
        private let isSet: Bool

        init(of place: Place, _ tables: any Tables) {
            let rules = tables.get(ScopeRulesRow.self, place.description)?.rules ?? []
            let set = rules.first { $0.quantity == .reception }
            rule = set?.rule ?? ReceiverWatch.rule
            isEnabled = set?.enabled ?? true
            seconds = set?.above.map { $0 * 60 } ?? Self.usualSeconds
            urgent = set?.urgent
            isSet = set != nil
        }

        func isExceeded(by reception: Reception) -> Bool {
            reception.quietSeconds > seconds && (isSet || reception.overdue >= 2)
        }
    }
}

/// What came through each receiver.
struct Receptions {
    /// The intervals after which a device is overdue, if its receiver may have failed.
    private static let overdueIntervals = 1.5

    fileprivate private(set) var byReceiver: [String: ReceiverWatch.Reception] = [:]

    /// Adds the device of a measuring point.
    ///
    /// - Parameter quietSeconds: the running seconds since its newest report.
    mutating func add(_ device: DeviceRow, at place: Place, newest: Instant, quietSeconds: Double) {
        guard ReceiverName.isReceiver(device.source) else { return }
        var reception =
            byReceiver[device.source] ?? ReceiverWatch.Reception(newest: newest, quietSeconds: quietSeconds)
        reception.newest = max(reception.newest, newest)
        reception.quietSeconds = min(reception.quietSeconds, quietSeconds)
        if let interval = device.interval, quietSeconds > Self.overdueIntervals * interval { reception.overdue += 1 }
        reception.points[place, default: 0] += 1
        byReceiver[device.source] = reception
    }
}

/// The names of receivers: `gateway/barn`, `mqtt/shed`, `znp:/dev/ttyUSB0`, `hci:/run/hci.sock`.
enum ReceiverName {
    private static let kinds = [
        ("gateway/", "Gateway"), ("mqtt/", "Gateway"), ("znp:", "ZigBee coordinator"), ("hci:", "Bluetooth receiver"),
    ]
    private static let longestPoint = 40

    /// Whether a source of reports is a receiver that stays where it is, and not a file, a person, or a sender that
    /// gives no name.
    static func isReceiver(_ source: String) -> Bool { kinds.contains { source.hasPrefix($0.0) } }

    /// Returns the name of a receiver for people: `Gateway barn`.
    static func title(_ source: String) -> String {
        guard let (prefix, kind) = kinds.first(where: { source.hasPrefix($0.0) }) else { return source }
        return "\(kind) \(source.dropFirst(prefix.count))"
    }

    /// Returns the name under which alarms of a receiver are found: letters, digits and hyphens.
    static func point(_ source: String) -> PointID {
        let plain = source.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }
        return PointID(String(plain.suffix(longestPoint)))
    }
}

extension AlarmRow {
    /// The clearing of an alarm about silence, with the minutes since the last report.
    func clearing(after last: Instant, at now: Instant) -> AlarmCleared {
        AlarmCleared(
            rule: rule, point: point, place: place, device: device, quantity: quantity,
            value: max(0, (now.seconds(since: last) / 60).rounded(.down)))
    }
}
