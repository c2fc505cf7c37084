import EventSourcing
import Synchronization
import System
import Telemetry

/// What operators see of a service: each check by name, and its meters. Written by the loop, read by the ops door.
final class StatusBoard: Sendable {
    /// How one check stands.
    enum Check: Sendable, Equatable {
        case ok
        case degraded(String)
        case down(String)
    }

    private struct State {
        var checks: [String: Check] = [:]
        var isReady = false
    }

    private let state = Mutex(State())
    private let meter: Meter
    private let service: String

    init(service: String, meter: Meter) {
        self.service = service
        self.meter = meter
        set("journal", .down("opening"))
    }

    func set(_ name: String, _ check: Check) {
        state.withLock { $0.checks[name] = check }
    }

    /// Everything the service needs at its start is there.
    func setReady() {
        state.withLock { $0.isReady = true }
    }

    func update(head: Head, tables: Position) {
        meter.gauge("furrow_journal_head", labels: ["service": service], Double(head.position))
        meter.gauge("furrow_views_position", labels: ["service": service], Double(tables))
        meter.gauge("furrow_resident_bytes", labels: ["service": service], Double(Machine.residentBytes()))
    }

    func reached(_ feed: String, _ position: Position) {
        meter.gauge("furrow_feed_position", labels: ["service": service, "feed": feed], Double(position))
    }

    func count(_ note: Note) {
        meter.count("furrow_\(note.name)_total", labels: note.labels.merging(["service": service]) { $1 }, note.count)
    }

    /// Degraded still serves; down doesn't.
    var report: HealthReport {
        state.withLock { state in
            var report = HealthReport(service: service)
            for (name, check) in state.checks {
                switch check {
                case .ok: report.add(name, .ok)
                case .degraded(let why): report.add(name, .degraded, why)
                case .down(let why): report.add(name, .down, why)
                }
            }
            if !state.isReady { report.add("start", .down, "still starting") }
            return report
        }
    }

    var metrics: String { meter.exposition() }
}
