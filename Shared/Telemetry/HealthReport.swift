/// How a service is, check by check: the body of `/healthz` and `/readyz`.
public struct HealthReport: Sendable, Equatable {
    /// From well to not at all; a report is as bad as its worst check.
    public enum Status: Sendable, Comparable { case ok, degraded, down }

    /// One thing that was looked at, and what there is to say of it.
    public struct Check: Sendable, Equatable {
        public let status: Status
        public let detail: String?
    }

    public let service: String
    public private(set) var checks: [String: Check] = [:]

    public init(service: String) {
        self.service = service
    }

    /// Sets a check; a second one of the same name takes its place.
    public mutating func add(_ name: String, _ status: Status, _ detail: String? = nil) {
        checks[name] = Check(status: status, detail: detail)
    }

    /// The worst of all checks.
    public var status: Status { checks.values.map(\.status).max() ?? .ok }

    /// Degraded still serves; down doesn't.
    public var isReady: Bool { status < .down }

    /// `{"status":"ok","service":"…","checks":{"journal":{"status":"ok"},"views":{"status":"down","detail":"…"}}}`
    public var json: [UInt8] {
        var list = LineText(bound: .max)
        for (name, check) in checks.sorted(by: { $0.key < $1.key }) {
            var text = LineText(bound: .max)
            text.add("status", "\(check.status)")
            if let detail = check.detail { text.add("detail", detail) }
            list.add(name, raw: text.closed)
        }
        var report = LineText(bound: .max)
        report.add("status", "\(status)")
        report.add("service", service)
        report.add("checks", raw: list.closed)
        return report.closed
    }
}
