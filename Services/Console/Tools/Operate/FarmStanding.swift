import EventSourcing
import Host
import JSON
import System
import Vocabulary
import ZeroMQ

/// How a running farm server stands, as its services tell it over their desks.
struct FarmStanding {
    /// One service; nil where it gave no answer.
    struct Service {
        let origin: String
        let pid: Int
        let ops: String
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

        var head: Int { told?.number("head") ?? 0 }
        var feeds: [JSONValue] { told?["feeds"]?.array.map { Array($0) } ?? [] }
        var parked: Int { feeds.reduce(0) { $0 + ($1.number("parked") ?? 0) } }
        /// How many events of the hub it has not read yet; nil where it reads no hub.
        func lag(behind hub: Int) -> Int? {
            feeds.first { $0.text("feed") == "hub" }.map { max(0, hub - ($0.number("position") ?? 0)) }
        }
    }

    let runFile: RunFile
    let services: [Service]

    static let secondsToAnswer = 2.0

    init(_ premises: Premises) throws {
        runFile = try RunFile.read(premises)
        let context = try Context()
        defer { context.shutdown() }
        services = runFile.services.compactMap { service in
            guard let origin = Origin(service.origin) else { return nil }
            return Service(
                origin: service.origin, pid: service.pid, ops: service.ops,
                told: Self.ask(origin, premises, context))
        }
    }

    private static func ask(_ origin: Origin, _ premises: Premises, _ context: Context) -> JSONValue? {
        do {
            let answer = try Console.ask(
                origin.service, "host.standing", premises, context, slot: origin.slot, seconds: secondsToAnswer)
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
    var backup: BackupRecord? {
        do { return try services.compactMap { try $0.told?.find("backup", as: BackupRecord.self) }.first } catch {
            return nil
        }
    }
    var disk: (free: UInt64, size: UInt64)? {
        guard let disk = services.compactMap({ $0.told?["disk"] }).first, let free = disk.number("free"),
            let size = disk.number("size")
        else { return nil }
        return (UInt64(free), UInt64(size))
    }

    /// How many events of an origin the hub has not taken in yet.
    func waiting(of service: Service) -> Int? {
        guard let ledger, ledger.told != nil, service.told != nil else { return nil }
        return max(0, service.head - (ledger.told?["hub"]?["origins"]?.number(service.origin) ?? 0))
    }

    /// Everything answers, and is ready.
    var isReady: Bool { !services.isEmpty && services.allSatisfy { ["ok", "degraded"].contains($0.state) } }
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

    var isFalse: Bool {
        do { return try !bool() } catch { return false }
    }
}
