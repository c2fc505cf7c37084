import EventSourcing
import Synchronization
import System
import Telemetry

/// What operators see of a service: each check by name, and its meters. Written by the loop, read by the ops door.
final class HealthRegistry: Sendable {
    /// How one check stands.
    enum Check: Sendable, Equatable {
        case ok
        case degraded(String)
        case down(String)
    }

    private struct State {
        var checks: [String: Check] = [:]
        var isReady = false
        /// When the loop was seen last, in microseconds of the monotonic clock; nil before it is ready.
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

    /// Everything the service needs at its start is there.
    func setReady() {
        let now = now()
        state.withLock {
            $0.isReady = true
            $0.turned = now
        }
    }

    /// The loop has begun another round. While it does not, it waits for something that does not answer, and all that
    /// stands on this board is of then.
    func turned() {
        let now = now()
        state.withLock { if $0.turned != nil { $0.turned = now } }
    }

    /// Shows numbers to Prometheus.
    func update(_ standing: ServiceStatus) {
        let labels = ["service": service, "origin": standing.origin]
        standing.show(on: meter, labels)
        state.withLock { $0.labels = labels }
        let started = Double(started) / 1_000_000
        meter.gauge("furrow_process_start_timestamp_seconds", labels: labels, started.rounded())
    }

    /// How long it took to make what was decided durable.
    func committed(in seconds: Double) {
        commits.observe(seconds)
    }

    func count(_ note: OperatorEvent) {
        meter.count("furrow_\(note.name)_total", labels: note.labels.merging(["service": service]) { $1 }, note.count)
    }

    /// Degraded still serves; down doesn't.
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

    /// Numbers and checks for Prometheus; the checks are of now, whatever the loop is at.
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
