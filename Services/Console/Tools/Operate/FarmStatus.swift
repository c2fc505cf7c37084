import EventSourcing
import Host
import JSON
import System
import Vocabulary
import ZeroMQ

/// How a running farm server stands, as its services tell it over their desks.
struct FarmStatus {
    /// One service; nil where it gave no answer.
    struct Service {
        let origin: String
        /// Nil among containers, which show neither.
        let pid: Int?
        let ops: String?
        let told: JSONValue?

        /// Ready, ready with trouble, not ready, or silent.
        var state: String {
            guard let told else { return "silent" }
            return told.text("report", "status") ?? "silent"
        }

        /// What is not well, in the service's own words.
        var troubles: [String] {
            guard let checks = told?["report"]?["checks"]?.object else { return [] }
            return checks.compactMap { name, check in
                guard check.text("status") != "ok" else { return nil }
                return "\(name): \(check.text("detail") ?? check.text("status") ?? "not well")"
            }
        }

        /// What a limit of its own changes although all is well.
        var remark: String? { told?.text("remark") }
        /// What it counts itself, by name.
        var figures: [(name: String, value: Int)] {
            guard let object = told?["figures"]?.object else { return [] }
            return object.compactMap { name, value in
                do { return (name, Int(try value.int())) } catch { return nil }
            }
        }

        var head: Int { told?.number("head") ?? 0 }
        var feeds: [JSONValue] { told?["feeds"]?.array.map { Array($0) } ?? [] }
        var parked: Int { feeds.reduce(0) { $0 + ($1.number("parked") ?? 0) } }
        /// Events of the same streams that wait behind what is parked.
        var heldBack: Int { feeds.reduce(0) { $0 + ($1.number("waiting") ?? 0) } }
        /// How many events of the hub it has not read yet; nil where it reads no hub.
        func lag(behind hub: Int) -> Int? {
            feeds.first { $0.text("feed") == "hub" }.map { max(0, hub - ($0.number("position") ?? 0)) }
        }
    }

    let services: [Service]
    /// What should be there and does not answer.
    let missing: [String]
    /// Where the pages are, as people open them, and as this process reaches them.
    let open: String
    let https: String?
    let kind: String?
    /// What the gateway saw of a proxy in front that is not trusted; nil where it did not answer.
    let proxies: JSONValue?
    /// By this machine's clock, before and after the services told theirs.
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
                origin: origin.description, pid: process?.pid, ops: process?.ops, told: Self.ask(origin, connections))
        }
        asked = (began, AdjustableClock.machine)
        proxies = live.first { $0.service == "sync-gateway" }.flatMap { Self.ask($0, connections, "proxy-evidence") }
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
            // It does not answer: that is what is told of it.
            return nil
        }
    }

    var ledger: Service? { services.first { $0.origin.hasPrefix("trace-ledger/") } }
    var gateway: Service? { services.first { $0.origin.hasPrefix("sync-gateway/") } }
    var hubHead: Int { ledger?.told?["hub"]?.number("head") ?? 0 }
    var parked: Int { services.reduce(0) { $0 + $1.parked } }
    var heldBack: Int { services.reduce(0) { $0 + $1.heldBack } }
    var backup: BackupRecord? {
        do { return try services.compactMap { try $0.told?.find("backup", as: BackupRecord.self) }.first } catch {
            return nil
        }
    }
    var disk: DiskStatus? { DiskStatus(lowest: services.compactMap(\.told)) }
    /// How fast that fills; nil where nobody can tell yet.
    var pace: DiskGrowthEstimate? { DiskGrowthEstimate(services.compactMap(\.told)) }
    /// When the newest event of the hub was recorded.
    var newest: Instant? { ledger?.told?.moment("newest") }
    /// How many seconds the clock of each service is apart from this machine's.
    var clocks: [(origin: String, seconds: Double)] {
        services.compactMap { service in
            service.told?.moment("now").map { now in
                let early = asked.from.seconds(since: now)
                let late = now.seconds(since: asked.to)
                return (service.origin, late > 0 ? late : early > 0 ? -early : 0)
            }
        }
    }
    /// Services of another build than this command's, and when theirs was made.
    var otherBuilds: [(origin: String, built: Instant)] {
        guard let own = Build.time() else { return [] }
        return services.compactMap { service in
            service.told?.moment("built").flatMap { $0 == own ? nil : (service.origin, $0) }
        }
    }

    /// How many events of an origin the hub has not taken in yet.
    func waiting(of service: Service) -> Int? {
        guard let ledger, ledger.told != nil, service.told != nil else { return nil }
        return max(0, service.head - (ledger.told?["hub"]?["origins"]?.number(service.origin) ?? 0))
    }

    /// Everything answers.
    var isHeard: Bool { missing.isEmpty && services.allSatisfy { $0.told != nil } }

    /// Everything answers, and is ready.
    var isReady: Bool {
        !services.isEmpty && isHeard
            && services.allSatisfy { ["ok", "degraded"].contains($0.state) }
    }
}

extension JSONValue {
    /// The text at a path of members; nil where there is none.
    func text(_ path: String...) -> String? {
        var value = self
        for name in path {
            guard let next = value[name] else { return nil }
            value = next
        }
        do { return try value.string() } catch { return nil }
    }

    /// The number of a member; nil where there is none.
    func number(_ name: String) -> Int? {
        do { return try find(name) } catch { return nil }
    }
}

extension JSONValue {
    /// The moment that a member tells in seconds since 1970; nil where there is none.
    func seconds(_ name: String) -> Instant? {
        do {
            let seconds: Double? = try find(name)
            return seconds.map { Instant(microseconds: Int64($0) * 1_000_000) }
        } catch { return nil }
    }

    /// The moment that a member tells in RFC 3339; nil where there is none.
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
