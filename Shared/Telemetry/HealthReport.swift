/// The health of a service, check by check: the body of `/healthz` and `/readyz`.
public struct HealthReport: Sendable, Equatable {
    /// A status, from best to worst; a report has the status of its worst check.
    public enum Status: Sendable, Comparable { case ok, degraded, down }

    /// One check: its status and a detail for operators.
    public struct Check: Sendable, Equatable {
        /// The status of the check.
        public let status: Status
        /// The detail in words for operators; nil if there is none.
        public let detail: String?
    }

    /// The name of the service.
    public let service: String
    /// The checks by name.
    public private(set) var checks: [String: Check] = [:]

    /// Creates a report without checks, whose status is `ok`.
    public init(service: String) {
        self.service = service
    }

    /// Sets a check; replaces an earlier one of the same name.
    public mutating func add(_ name: String, _ status: Status, _ detail: String? = nil) {
        checks[name] = Check(status: status, detail: detail)
    }

    /// The worst of all checks.
    public var status: Status { checks.values.map(\.status).max() ?? .ok }

    /// Whether the service can serve: a degraded service still does, one that is down does not.
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
