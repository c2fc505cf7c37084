import EventSourcing
import Synchronization
import System
import Telemetry

/// The checks by name and the metrics of a service. Written by the event loop, read by the ops endpoint.
final class HealthRegistry: Sendable {
    /// The status of one check.
    enum Check: Sendable, Equatable {
        case ok
        case degraded(String)
        case down(String)
    }

    private struct State {
        var checks: [String: Check] = [:]
        var isReady = false
        /// The time of the loop's last round, in microseconds of the monotonic clock; nil before the service is ready.
        var turned: Int64?
        var labels: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let meter: Meter
    private let commits: Histogram
    private let service: String
    private let started = Clock.realMicroseconds()
    private let now: @Sendable () -> Int64

    /// - Parameter now: microseconds of the monotonic clock.
    init(service: String, meter: Meter, now: @escaping @Sendable () -> Int64 = Clock.monotonicMicroseconds) {
        self.service = service
        self.now = now
        self.meter = meter
        commits = meter.histogram("furrow_commit_seconds", labels: ["service": service])
        set("journal", .down("opening"))
    }

    func set(_ name: String, _ check: Check) {
        state.withLock { $0.checks[name] = check }
    }

    /// Records that everything the service needs at its start is open.
    func setReady() {
        let now = now()
        state.withLock {
            $0.isReady = true
            $0.turned = now
        }
    }

    /// Records that the loop has begun another round. Without rounds the loop waits for something, and all checks are
    /// of its last round.
    func turned() {
        let now = now()
        state.withLock { if $0.turned != nil { $0.turned = now } }
    }

    /// Updates the gauges for Prometheus.
    func update(_ status: ServiceStatus) {
        let labels = ["service": service, "origin": status.origin]
        status.show(on: meter, labels)
        state.withLock { $0.labels = labels }
        let started = Double(started) / 1_000_000
        meter.gauge("furrow_process_start_timestamp_seconds", labels: labels, started.rounded())
    }

    /// Records the duration of a commit.
    func committed(in seconds: Double) {
        commits.observe(seconds)
    }

    func count(_ note: OperatorEvent) {
        meter.count("furrow_\(note.name)_total", labels: note.labels.merging(["service": service]) { $1 }, note.count)
    }

    /// The health report. A degraded service still serves; one that is down does not.
    var report: HealthReport {
        let now = now()
        return state.withLock { state in
            var report = HealthReport(service: service)
            for (name, check) in state.checks {
                switch check {
                case .ok: report.add(name, .ok)
                case .degraded(let why): report.add(name, .degraded, why)
                case .down(let why): report.add(name, .down, why)
                }
            }
            if !state.isReady { report.add("start", .down, "still starting") }
            if let turned = state.turned {
                let seconds = (now - turned) / 1_000_000
                if seconds < HostLimits.loopSeconds {
                    report.add("loop", .ok)
                } else {
                    report.add(
                        "loop", .down, "nothing was done for \(seconds) s: the disk or the database does not answer")
                }
            }
            return report
        }
    }

    /// The metrics and checks in Prometheus format; the checks are current even if the loop does not run.
    var metrics: String {
        let (report, labels) = (report, state.withLock(\.labels))
        if !labels.isEmpty {
            meter.gauge("furrow_ready", labels: labels, report.isReady ? 1 : 0)
            for (name, check) in report.checks {
                let value = check.status == .ok ? 0 : check.status == .degraded ? 1 : 2
                meter.gauge("furrow_check_status", labels: labels.merging(["check": name]) { $1 }, Double(value))
            }
        }
        return meter.exposition()
    }
}
