import EventSourcing
import EventStore
import HTTP
import Host
import JSON
import System
import Vocabulary
import Wire

/// `furrow doctor`: looks at everything a farm server needs and says in plain words what is wrong and what to do.
struct DoctorCommand {
    private let premises: Premises
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        premises = try Premises(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        try arguments.end()
    }

    /// 1 if anything needs doing at once.
    func run() throws -> Int32 {
        let findings = try Self.look(premises)
        let isWell = findings.allSatisfy { $0.state != .act }
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", isWell)
                json.field("checks", array: { json in for finding in findings { finding.write(to: &json) } })
            }
            Terminal.put(json.bytes + [10])
            return isWell ? 0 : 1
        }
        for finding in findings {
            let word = [Finding.State.ok: "ok   ", .mind: "MIND ", .act: "ACT  "][finding.state] ?? ""
            Terminal.say("\(word) \(finding.said)")
            if let advice = finding.advice { Terminal.say("       → \(advice)") }
        }
        let count = findings.count { $0.state == .act }
        Terminal.say(
            isWell
                ? "Nothing needs doing at once." : "\(count) \(count == 1 ? "thing needs" : "things need") doing now.")
        return isWell ? 0 : 1
    }

    static func look(_ premises: Premises) throws -> [Finding] {
        guard Directory.isDirectory(premises.home) else {
            throw Refusal(
                "There is no farm in \(premises.home); start one with deploy/up, or say where with --home DIR.")
        }
        let doctor = Examination(premises)
        guard File.exists(premises.runFile) else {
            let stopped = Finding(
                "running", .act, "Nothing runs in \(premises.home).",
                do: "Start it: deploy/up --home \(premises.home), or systemctl start furrow")
            return [stopped] + doctor.ofTheHome(nil)
        }
        let farm = try FarmStanding(premises)
        return doctor.ofTheServices(farm) + doctor.ofTheHome(farm)
    }
}

/// Gathers the numbers that ``Judgement`` judges.
private struct Examination {
    let premises: Premises
    private let now = HouseClock.machine

    init(_ premises: Premises) {
        self.premises = premises
    }

    func ofTheServices(_ farm: FarmStanding) -> [Finding] {
        var findings = farm.services.map(running)
        findings.append(database())
        findings.append(door(farm))
        findings.append(
            Judgement.lag(
                farm.services.flatMap { service in
                    [farm.waiting(of: service), service.lag(behind: farm.hubHead)].compactMap { $0 }.map {
                        (service.origin, $0)
                    }
                }))
        findings.append(Judgement.parked(farm.parked))
        let expires = farm.gateway?.told?["constants"]?.seconds("certificate_expiry_timestamp_seconds")
        let certificate = Judgement.certificate(expires: expires, now: now)
        if let certificate { findings.append(certificate) }
        if let ledger = farm.ledger, ledger.told != nil {
            findings.append(Judgement.address(ledger.told?.text("address")))
        }
        for service in farm.services {
            for source in service.told?["sources"]?.array.map({ Array($0) }) ?? []
            where source["present"]?.isFalse == true {
                findings.append(
                    Finding(
                        "radio", .act, "The radio \(source.text("source") ?? "") is not there.",
                        do: "Plug it in again, and look whether the farm's user may open it (group dialout)."))
            }
        }
        return findings
    }

    func ofTheHome(_ farm: FarmStanding?) -> [Finding] {
        var findings: [Finding] = []
        let hub = farm.flatMap { _ in hubPace() }
        do {
            findings.append(
                Judgement.disk(
                    free: try Directory.freeBytes(premises.home), size: try Directory.sizeBytes(premises.home),
                    bytesPerDay: hub?.bytesPerDay))
            let record = BackupRecord.read(premises.home)
            findings.append(Judgement.backup(record, at: now, onSameDisk: try isOnSameDisk(record)))
            findings += Judgement.secrets(try oldSecrets(record), in: folder(of: record))
            findings.append(Judgement.permissions(home: premises.home, open: try openFiles()))
        } catch {
            findings.append(
                Finding(
                    "permissions", .act, "\(premises.home) cannot be looked at: \(error)",
                    do: "Run this as the farm's own user, or as root."))
        }
        findings.append(Judgement.clock(now: now, newest: hub?.newest))
        if File.exists("\(premises.home)/\(Restoring.mark)") {
            findings.append(
                Finding(
                    "restore", .act, "A restore into \(premises.home) was not finished.",
                    do: "Run furrow restore again with the same backup."))
        }
        return findings
    }

    private func running(_ service: FarmStanding.Service) -> Finding {
        let advice = "Look at: furrow logs \(service.origin.split(separator: "/").first ?? "")"
        switch service.state {
        case "ok": return Finding("running", .ok, "\(service.origin) runs and is ready.")
        case "degraded":
            return Finding(
                "running", .mind, "\(service.origin) runs, but \(service.troubles.joined(separator: "; "))", do: advice)
        case "down":
            return Finding(
                "running", .act, "\(service.origin) is not ready: \(service.troubles.joined(separator: "; "))",
                do: advice)
        default: return Finding("running", .act, "\(service.origin) does not answer.", do: advice)
        }
    }

    private func database() -> Finding {
        PrivatePostgres(premises: premises).isAwake
            ? Finding("postgres", .ok, "The database answers.")
            : Finding("postgres", .act, "The database does not answer.", do: "Look at: furrow logs postgres")
    }

    /// Whether people's door answers.
    private func door(_ farm: FarmStanding) -> Finding {
        do {
            let response = try HTTPClient().send("GET", "\(farm.runFile.http)/", timeoutSeconds: 3)
            guard response.status == 200 else { throw Refusal("it says \(response.status)") }
            return Finding("door", .ok, "The pages are served at \(farm.runFile.http).")
        } catch {
            return Finding(
                "door", .act, "The pages at \(farm.runFile.http) do not open: \(error)",
                do: "Look whether another program has the port, or at: furrow logs sync-gateway")
        }
    }

    /// How much the home grows in a day, by its newest events and what one takes on the disk, and when the newest was.
    private func hubPace() -> (bytesPerDay: Double?, newest: Instant)? {
        do {
            let reader = try HubReader(premises.conninfo)
            let head = try reader.head()
            let back = head.position > Self.paceEvents ? head.position - Self.paceEvents : 1
            guard let first = try reader.read(from: back, events: 1, bytes: 1).first,
                let last = try reader.read(from: head.position, events: 1, bytes: 1).first
            else { return nil }
            let newest = try EnvelopeCodec.read(last.bytes).envelope.recorded
            let days = newest.seconds(since: try EnvelopeCodec.read(first.bytes).envelope.recorded) / 86_400
            // Backups and logs do not grow with events.
            let kept = try Directory.list(premises.home).filter { !["backups", "logs"].contains($0) }
            let used = kept.reduce(0) { $0 + Double(Directory.usedBytes("\(premises.home)/\($1)")) }
            let perEvent = used / Double(max(1, head.position))
            // A farm of an hour says nothing about its days.
            let perDay = days > 1.0 / 24 ? Double(head.position - back) * perEvent / days : nil
            return (perDay, newest)
        } catch {
            // The database is told of elsewhere.
            return nil
        }
    }

    private static let paceEvents: Position = 50_000

    private func isOnSameDisk(_ record: BackupRecord) throws -> Bool {
        guard let path = record.path, File.exists(path) else { return false }
        return try File.device(path) == File.device(premises.home)
    }

    private func folder(of record: BackupRecord) -> String {
        let parts = record.path?.split(separator: "/").dropLast() ?? []
        return "/" + parts.joined(separator: "/")
    }

    /// Secrets beside the last backup that should be gone by now.
    private func oldSecrets(_ record: BackupRecord) throws -> [String] {
        let folder = folder(of: record)
        guard record.path != nil, Directory.isDirectory(folder) else { return [] }
        return Retention(keep: nil, now: now).expired(among: try Directory.list(folder))
    }

    private func openFiles() throws -> [String] {
        var open: [String] = []
        if try File.access(premises.home).mode & 0o077 == 0 { return [] }
        // The home itself lets others in: what in it does, too?
        for name in try Directory.list(premises.home) where name != "ca.pem" {
            if try File.access("\(premises.home)/\(name)").mode & 0o077 != 0 { open.append("\(premises.home)/\(name)") }
        }
        return open
    }
}
