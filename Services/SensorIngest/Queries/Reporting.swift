import EventSourcing
import Events
import Vocabulary

/// A connected radio of this process that does not work.
struct SilentRadio: Sendable {
    let source: String
    let trouble: String
}

/// Which of the sensors that are bound to points report, and which are silent.
struct Reporting {
    /// A sensor that has not reported for longer than its usual interval allows.
    struct Silent {
        let point: PointRow
        /// The time of its last report; nil if it never reported.
        let since: Instant?
    }

    /// The number of points with a sensor.
    private(set) var sensors = 0
    private(set) var silent: [Silent] = []
    /// The age in seconds of the oldest sensor's last report; nil if a sensor is silent or there is none.
    private(set) var oldestSeconds: Double?

    init(_ tables: any Tables, at now: Instant) {
        var oldest = 0.0
        SensorViews.each(PointRow.self, in: tables) { point in
            guard let device = point.device else { return }
            sensors += 1
            let row = tables.get(DeviceRow.self, device.rawValue)
            guard let row, let last = row.last else {
                silent.append(Silent(point: point, since: nil))
                return
            }
            let age = max(0, now.seconds(since: last))
            if age > Rhythm.patience(row.interval) {
                silent.append(Silent(point: point, since: last))
            } else {
                oldest = max(oldest, age)
            }
        }
        if sensors > 0, silent.isEmpty { oldestSeconds = oldest }
    }
}

extension Queries {
    /// Returns the silent sensors, the number of enabled limits, the radios that do not work, and the connections to
    /// brokers.
    ///
    /// The absence of alarms means something only if all of these are as they should be.
    func reporting() -> ReportingResponse {
        let reporting = Reporting(tables, at: now)
        var limits = 0
        SensorViews.each(ScopeRulesRow.self, in: tables) { row in
            limits += row.rules.count { $0.enabled && $0.quantity.isReported }
        }
        return ReportingResponse(
            at: now, sensors: reporting.sensors, silentSensors: reporting.silent.count,
            withinMinutes: reporting.oldestSeconds.map { max(1, Int(($0 / 60).rounded(.up))) },
            silent: reporting.silent.prefix(SensorLimits.pageItems).map { one in
                SilentSensorResponse(
                    point: PointID(one.point.key), title: one.point.title, place: one.point.place,
                    device: one.point.device, since: one.since)
            },
            limits: limits, radios: radios.map { SilentRadioResponse(source: $0.source, trouble: $0.trouble) },
            brokers: brokers.sorted { $0.key < $1.key }.map { source, status in
                BrokerResponse(
                    source: source, connected: status.connected, lastMessage: status.lastMessage,
                    messages: status.messages, refused: status.refused.values.reduce(0, +),
                    offlineDevices: status.offline)
            })
    }
}
