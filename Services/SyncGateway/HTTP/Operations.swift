import EventSourcing
import Host
import JSON
import System
import Vocabulary
import Wire

/// The status of all services, for the page about the farm server.
struct Operations {
    let web: WebRequest
    /// The services in display order, each with its status report; nil if there is none yet or it did not respond in
    /// time.
    private var services: [(origin: String, told: JSONValue?)]
    private var waiting: Int
    /// What has to be done at once.
    private let troubles: [ServerTroubleRow]

    init(_ web: WebRequest, asking origins: [String], _ troubles: [ServerTroubleRow]) {
        self.web = web
        self.troubles = troubles
        services = origins.map { ($0, nil) }
        waiting = origins.count
    }

    /// The services with a single instance.
    static let single = ["trace-ledger", "catalog-orders", "recommender", SyncGateway.name]

    var isComplete: Bool { waiting == 0 }

    mutating func take(_ outcome: RequestOutcome, of number: Int) {
        waiting -= 1
        guard case .answer(let answer) = outcome, answer.status == 200 else { return }
        do {
            services[number].told = try JSONValue.parse(answer.body)
        } catch {
            // An unreadable report is treated as missing.
            services[number].told = nil
        }
    }

    /// The shape of the response.
    static let shape: Shape = [
        "at": .time, "hub?": .integer, "parked": .integer, "waiting": .integer,
        "troubles": .list(.object(["check": .text, "said": .text, "advice?": .text, "raised": .time])),
        "services": .list(
            .object([
                "origin": .text, "state": .words(["ok", "degraded", "down", "silent"]), "troubles": .list(.text),
                "head?": .integer, "notInHub?": .integer, "lag?": .integer, "parked": .integer,
                "waiting": .integer, "residentBytes?": .integer,
            ])),
        "disk?": .object(["free": .integer, "size": .integer, "needed": .integer, "days?": .integer]),
        "backup": .object([
            "made?": .time, "path?": .text, "bytes?": .integer, "sameDisk?": .flag, "failed?": .time, "why?": .text,
            "restored?": .time, "restoreFault?": .text, "copied?": .time, "copyFault?": .text,
        ]),
    ]

    func write(to json: inout JSONWriter, at now: Instant) {
        let hub = services.compactMap { $0.told?["hub"] }.first
        json.field("at", now)
        json.field("hub", ifPresent: hub?.number("head"))
        json.field(
            "troubles",
            array: { json in
                for trouble in troubles {
                    json.object { json in
                        json.field("check", trouble.key)
                        json.field("said", trouble.said)
                        json.field("advice", ifPresent: trouble.advice)
                        json.field("raised", trouble.raised)
                    }
                }
            })
        json.field("parked", services.reduce(0) { $0 + Self.sum("parked", $1.told) })
        json.field("waiting", services.reduce(0) { $0 + Self.sum("waiting", $1.told) })
        json.field(
            "services",
            array: { json in
                for service in services { json.object { json in write(service, hub, to: &json) } }
            })
        let told = services.compactMap(\.told)
        if let disk = DiskStatus(lowest: told) {
            json.field(
                "disk",
                object: { json in
                    json.field("free", disk.space.free)
                    json.field("size", disk.space.total)
                    json.field("needed", disk.needed)
                    json.field("days", ifPresent: DiskGrowthEstimate(told)?.days(disk))
                })
        }
        json.field("backup", backup)
    }

    private var backup: BackupRecord {
        do {
            return try services.compactMap { try $0.told?.find("backup", as: BackupRecord.self) }.first
                ?? BackupRecord()
        } catch {
            return BackupRecord()
        }
    }

    private func write(_ service: (origin: String, told: JSONValue?), _ hub: JSONValue?, to json: inout JSONWriter) {
        json.field("origin", service.origin)
        json.field("parked", Self.sum("parked", service.told))
        json.field("waiting", Self.sum("waiting", service.told))
        guard let told = service.told, let report = told["report"] else {
            json.field("state", "silent")
            json.field("troubles", ["It does not answer."])
            return
        }
        json.field("state", report.text("status") ?? "silent")
        json.field("troubles", Self.troubles(report))
        let head = told.number("head")
        json.field("head", ifPresent: head)
        if let hub {
            let held = hub["origins"]?.number(service.origin) ?? 0
            json.field("notInHub", max(0, (head ?? 0) - held))
        }
        json.field("lag", ifPresent: Self.lag(told, behind: hub?.number("head")))
        json.field("residentBytes", ifPresent: told.number("residentBytes"))
    }

    private static func troubles(_ report: JSONValue) -> [String] {
        (report["checks"]?.object.map { Array($0) } ?? []).compactMap { name, check in
            check.text("status") == "ok" ? nil : "\(name): \(check.text("detail") ?? "not well")"
        }
    }

    private static func feeds(_ told: JSONValue?) -> [JSONValue] { told?["feeds"]?.array.map { Array($0) } ?? [] }

    private static func sum(_ name: String, _ told: JSONValue?) -> Int {
        feeds(told).reduce(0) { $0 + ($1.number(name) ?? 0) }
    }

    private static func lag(_ told: JSONValue, behind head: Int?) -> Int? {
        guard let head, let position = feeds(told).first(where: { $0.text("feed") == "hub" })?.number("position") else {
            return nil
        }
        return max(0, head - position)
    }
}

extension JSONValue {
    fileprivate func number(_ name: String) -> Int? {
        do { return try find(name) } catch { return nil }
    }

    fileprivate func text(_ name: String) -> String? {
        do { return try find(name) } catch { return nil }
    }
}

extension SyncGateway {
    /// Requests the status of every service. A service that does not respond is reported as `silent`.
    mutating func tellOperations(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let ingest = slots.live(at: tick).map { Origin(service: "sensor-ingest", site: site, slot: $0).description }
        let single = Operations.single.map { Origin(service: $0, site: site, slot: 0).description }
        let origins = single + ingest
        guard pendingCalls.count + proofs.count + origins.count <= GatewayLimits.pendingCalls else { throw .busy }
        operations[call.web.id] = Operations(
            call.web, asking: origins,
            tables.scan(ServerTroubleRow.self, prefix: "", limit: GatewayLimits.serverFindings))
        var effects: [Effect] = []
        for (number, origin) in origins.enumerated() {
            effects += try begin(.standing(of: call.web.id, number: number)) { token in
                OutgoingRequest(
                    statusOf: origin, actor: .service(Self.name), token: token, seconds: GatewayLimits.statusSeconds)
            }
        }
        return effects
    }

    mutating func stood(_ id: UInt64, _ number: Int, _ outcome: RequestOutcome) -> [Effect] {
        guard var gathered = operations[id] else { return [] }
        gathered.take(outcome, of: number)
        operations[id] = gathered.isComplete ? nil : gathered
        guard gathered.isComplete else { return [] }
        let now = time
        return [respond(gathered.web, .made { json in gathered.write(to: &json, at: now) })]
    }
}
