import EventSourcing
import Host
import JSON
import System
import Vocabulary
import ZeroMQ

/// `furrow status`: prints the status of a running farm server in a few lines.
struct StatusCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let wantsTargets: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        wantsTargets = arguments.flag("--targets")
        try arguments.end()
    }

    /// Returns 1 if any service is not ready.
    func run() throws -> Int32 {
        if wantsTargets {
            guard !farmPaths.isStack else { throw Refusal("Containers serve their metrics only inside themselves.") }
            Terminal.put(try Self.targets(RunFile.read(farmPaths)) + [10])
            return 0
        }
        if try farmPaths.isStandby {
            return try StandbyCommand.status(farmPaths, isJSON: isJSON)
        }
        let farm = try FarmStatus(farmPaths)
        if isJSON { Terminal.put(json(farm) + [10]) } else { tell(farm) }
        return farm.isReady ? 0 : 1
    }

    private func tell(_ farm: FarmStatus) {
        for service in farm.services {
            let word = ["ok": "ready", "degraded": "degraded", "down": "not ready"][service.state] ?? "silent"
            var line = "\(word)\(String(repeating: " ", count: max(1, 11 - word.utf8.count)))\(service.origin)"
            if service.response != nil {
                line += "  \(service.head) events"
                if let waiting = farm.waiting(of: service), waiting > 0 { line += ", \(waiting) not in the hub yet" }
                if let lag = service.lag(behind: farm.hubHead), lag > 0 { line += ", \(lag) of the hub not read yet" }
            }
            Terminal.say(line + (service.pid.map { "  (pid \($0))" } ?? ""))
            for trouble in service.troubles { Terminal.say("           \(trouble)") }
            if let remark = service.remark { Terminal.say("           \(remark)") }
        }
        for line in farm.missing { Terminal.say("MISSING    \(line)") }
        let behind = farm.heldBack > 0 ? ", \(farm.heldBack) waiting behind them" : ""
        let hub = farm.ledger?.response == nil ? "silent" : "\(farm.hubHead) events"
        Terminal.say("hub        \(hub), \(farm.parked) parked\(behind)")
        if let disk = farm.disk {
            Terminal.say("disk       \(DoctorRules.sentences(on: disk, farm.pace))")
        }
        Terminal.say("backup     \(sentence(on: farm.backup ?? BackupRecord()))")
        if !farm.open.isEmpty { Terminal.say("open       \(farm.open)" + (farm.https.map { " or \($0)" } ?? "")) }
    }

    /// Returns the metrics address of each service in the format of Prometheus' `file_sd_config`.
    static func targets(_ runFile: RunFile) -> [UInt8] {
        var json = JSONWriter()
        json.array { json in
            json.object { json in
                json.field(
                    "targets", runFile.services.map { String($0.ops.dropFirst("http://".count)) })
                json.field("labels", object: { json in json.field("job", "furrow") })
            }
        }
        return json.bytes
    }

    private func sentence(on backup: BackupRecord) -> String {
        let last = backup.made.map { made in
            "\(Amount.time(seconds: AdjustableClock.machine.seconds(since: made))) ago, \(backup.path ?? "")"
        }
        var remarks = backup.why.map { "; the last attempt failed: \($0)" } ?? ""
        if let fault = backup.restoreFault {
            remarks += "; it could not be restored in a test: \(fault)"
        } else if let restored = backup.restored {
            let age = Amount.time(seconds: AdjustableClock.machine.seconds(since: restored))
            remarks += "; restored in a test \(age) ago"
        }
        if let fault = backup.copyFault {
            remarks += "; it could not be copied into the repository: \(fault)"
        } else if let copied = backup.copied {
            let age = Amount.time(seconds: AdjustableClock.machine.seconds(since: copied))
            remarks += "; copied into the repository \(age) ago"
        }
        return (last ?? "never; make one with: \(Wording(isStack: farmPaths.isStack).call("backup"))") + remarks
    }

    private func json(_ farm: FarmStatus) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("ok", farm.isReady)
            json.field(
                "services",
                object: { json in
                    for service in farm.services {
                        json.field(
                            service.origin,
                            object: { json in
                                json.field("state", service.state)
                                json.field("pid", ifPresent: service.pid)
                                json.field("head", service.head)
                                json.field("notInHub", ifPresent: farm.waiting(of: service))
                                json.field("lag", ifPresent: service.lag(behind: farm.hubHead))
                                json.field("parked", service.parked)
                                json.field("waiting", service.heldBack)
                                json.field("troubles", service.troubles)
                                json.field("remark", ifPresent: service.remark)
                                let figures = service.figures
                                guard !figures.isEmpty else { return }
                                json.field(
                                    "figures",
                                    object: { json in for one in figures { json.field(one.name, one.value) } })
                            })
                    }
                })
            json.field("missing", farm.missing)
            json.field("hub", farm.hubHead)
            json.field("parked", farm.parked)
            json.field("waiting", farm.heldBack)
            if let disk = farm.disk {
                json.field("diskFree", disk.space.free)
                json.field("diskSize", disk.space.total)
                json.field("diskNeeded", disk.needed)
                json.field("diskDays", ifPresent: farm.pace?.days(disk))
            }
            json.field("backup", farm.backup ?? BackupRecord())
        }
        return json.bytes
    }
}
