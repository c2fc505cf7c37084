import EventSourcing
import Host
import JSON
import System
import Vocabulary
import Wire
import ZeroMQ

/// The status of a running farm server, as its services report it.
struct FarmStatus {
    /// The status of one service; `response` is nil if it did not respond.
    struct Service {
        let origin: String
        /// Nil in a compose stack.
        let pid: Int?
        let ops: String?
        let response: JSONValue?

        /// One of `ok`, `degraded`, `down` and `silent`, the last if it did not respond.
        var state: String {
            guard let response else { return "silent" }
            return response.text("report", "status") ?? "silent"
        }

        /// The failing checks, as the service describes them.
        var troubles: [String] {
            guard let checks = response?["report"]?["checks"]?.object else { return [] }
            return checks.compactMap { name, check in
                guard check.text("status") != "ok" else { return nil }
                return "\(name): \(check.text("detail") ?? check.text("status") ?? "not well")"
            }
        }

        /// A note of the service about the effect of one of its limits, although all is well.
        var remark: String? { response?.text("remark") }
        /// Counters of the service, by name.
        var figures: [(name: String, value: Int)] {
            guard let object = response?["figures"]?.object else { return [] }
            return object.compactMap { name, value in
                do { return (name, Int(try value.int())) } catch { return nil }
            }
        }

        var head: Int { response?.number("head") ?? 0 }
        var feeds: [JSONValue] { response?["feeds"]?.array.map { Array($0) } ?? [] }
        var parked: Int { feeds.reduce(0) { $0 + ($1.number("parked") ?? 0) } }
        /// Events that wait behind parked events of the same stream.
        var heldBack: Int { feeds.reduce(0) { $0 + ($1.number("waiting") ?? 0) } }
        /// The number of hub events that it has not read yet; nil if it does not read the hub.
        func lag(behind hub: Int) -> Int? {
            feeds.first { $0.text("feed") == "hub" }.map { max(0, hub - ($0.number("position") ?? 0)) }
        }
    }

    let services: [Service]
    /// Expected services that do not respond.
    let missing: [String]
    /// The address of the pages for people; `kind` is the one that this process can reach.
    let open: String
    let https: String?
    let kind: String?
    /// What the gateway observed of an untrusted proxy; nil if it did not respond.
    let proxies: JSONValue?
    /// This machine's time before and after the services reported theirs.
    let asked: (from: Instant, to: Instant)

    static let secondsToAnswer = 2.0

    init(_ farmPaths: FarmPaths) throws {
        let context = try Context()
        defer { context.shutdown() }
        let connections = try ServiceConnections(farmPaths, context)
        let environment = Machine.environment
        if connections.areHosts {
            open = environment["FURROW_OPEN_AT"] ?? ""
            https = nil
            kind = environment["FURROW_HTTP_PORT"].map { "http://127.0.0.1:\($0)" }
        } else {
            let runFile = try RunFile.read(farmPaths)
            (open, https, kind) = (runFile.http, runFile.https, runFile.http)
        }
        let began = AdjustableClock.machine
        let processes = try connections.areHosts ? [:] : Self.processes(farmPaths)
        let (live, missing) = try connections.origins()
        self.missing = missing
        services = live.map { origin in
            let process = processes[origin.description]
            return Service(
                origin: origin.description, pid: process?.pid, ops: process?.ops,
                response: Self.ask(origin, connections))
        }
        asked = (began, AdjustableClock.machine)
        proxies = live.first { $0.service == GatewayRequestName.service }.flatMap {
            Self.ask($0, connections, GatewayRequestName.proxyEvidence.rawValue)
        }
    }

    private static func processes(_ farmPaths: FarmPaths) throws -> [String: (pid: Int, ops: String)] {
        Dictionary(
            try RunFile.read(farmPaths).services.map { ($0.origin, ($0.pid, $0.ops)) }, uniquingKeysWith: { a, _ in a })
    }

    private static func ask(
        _ origin: Origin, _ connections: ServiceConnections, _ verb: String = "host.standing"
    ) -> JSONValue? {
        do {
            let answer = try Console.ask(
                connections.requestClient(of: origin.service, slot: origin.slot), origin.service, verb,
                body: Array("{}".utf8), seconds: secondsToAnswer)
            return answer.status == 200 ? try JSONValue.parse(answer.body) : nil
        } catch {
            // No response: the service is reported as silent.
            return nil
        }
    }

    var ledger: Service? { services.first { $0.origin.hasPrefix("trace-ledger/") } }
    var gateway: Service? { services.first { $0.origin.hasPrefix("sync-gateway/") } }
    var hubHead: Int { ledger?.response?["hub"]?.number("head") ?? 0 }
    var parked: Int { services.reduce(0) { $0 + $1.parked } }
    var heldBack: Int { services.reduce(0) { $0 + $1.heldBack } }
    var backup: BackupRecord? {
        do { return try services.compactMap { try $0.response?.find("backup", as: BackupRecord.self) }.first } catch {
            return nil
        }
    }
    var disk: DiskStatus? { DiskStatus(lowest: services.compactMap(\.response)) }
    /// The growth rate of the disk's use; nil if it is not known yet.
    var pace: DiskGrowthEstimate? { DiskGrowthEstimate(services.compactMap(\.response)) }
    /// The time at which the newest event of the hub was recorded.
    var newest: Instant? { ledger?.response?.moment("newest") }
    /// The seconds by which each service's clock differs from this machine's.
    var clocks: [(origin: String, seconds: Double)] {
        services.compactMap { service in
            service.response?.moment("now").map { now in
                let early = asked.from.seconds(since: now)
                let late = now.seconds(since: asked.to)
                return (service.origin, late > 0 ? late : early > 0 ? -early : 0)
            }
        }
    }
    /// Services of another build than this command, with its build time.
    var otherBuilds: [(origin: String, built: Instant)] {
        guard let own = Build.time() else { return [] }
        return services.compactMap { service in
            service.response?.moment("built").flatMap { $0 == own ? nil : (service.origin, $0) }
        }
    }

    /// Returns the number of an origin's events that the hub has not mirrored yet.
    func waiting(of service: Service) -> Int? {
        guard let ledger, ledger.response != nil, service.response != nil else { return nil }
        return max(0, service.head - (ledger.response?["hub"]?["origins"]?.number(service.origin) ?? 0))
    }

    /// Whether every service responds.
    var isHeard: Bool { missing.isEmpty && services.allSatisfy { $0.response != nil } }

    /// Whether every service responds and is ready.
    var isReady: Bool {
        !services.isEmpty && isHeard
            && services.allSatisfy { ["ok", "degraded"].contains($0.state) }
    }
}

extension JSONValue {
    /// Returns the text at a path of members; nil if there is none.
    func text(_ path: String...) -> String? {
        var value = self
        for name in path {
            guard let next = value[name] else { return nil }
            value = next
        }
        do { return try value.string() } catch { return nil }
    }

    /// Returns the number of a member; nil if there is none.
    func number(_ name: String) -> Int? {
        do { return try find(name) } catch { return nil }
    }
}

extension JSONValue {
    /// Returns the time of a member in seconds since 1970; nil if there is none.
    func seconds(_ name: String) -> Instant? {
        do {
            let seconds: Double? = try find(name)
            return seconds.map { Instant(microseconds: Int64($0) * 1_000_000) }
        } catch { return nil }
    }

    /// Returns the time of a member in RFC 3339; nil if there is none.
    func moment(_ name: String) -> Instant? {
        do { return try find(name) } catch { return nil }
    }

    func decimal(_ name: String) -> Double? {
        do { return try find(name) } catch { return nil }
    }

    var isFalse: Bool {
        do { return try !bool() } catch { return false }
    }
}
