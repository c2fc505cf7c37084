import EventStore
import HTTP
import Host
import JSON
import System
import Vocabulary

/// Gathers the numbers that ``DoctorRules`` evaluates.
struct DoctorProbe {
    private let farmPaths: FarmPaths
    private let rules: DoctorRules
    private let now = AdjustableClock.machine

    init(_ farmPaths: FarmPaths) {
        self.farmPaths = farmPaths
        rules = DoctorRules(Wording(isStack: farmPaths.isStack))
    }

    // MARK: Status of the services

    func ofTheServices(_ farm: FarmStatus) -> [Finding] {
        var findings = farm.missing.map(rules.missing) + farm.services.map(running)
        if let kind = farm.kind { findings.append(look(at: kind)) }
        let lag = rules.lag(
            farm.services.flatMap { service in
                [farm.waiting(of: service), service.lag(behind: farm.hubHead)].compactMap { $0 }.map {
                    (service.origin, $0)
                }
            })
        let parked = rules.parked(farm.parked, waiting: farm.heldBack)
        // A result of "ok" is certain only if all services have responded.
        findings += [lag, parked, rules.builds(farm.otherBuilds)].filter { $0.state != .ok || farm.isHeard }
        findings += rules.clocks(farm.clocks)
        let expires = farm.gateway?.response?["constants"]?.seconds("certificate_expiry_timestamp_seconds")
        let certificate = rules.certificate(expires: expires, now: now)
        if let certificate { findings.append(certificate) }
        findings += rules.proxies(
            forwarder: farm.proxies?.text("forwarder"), shared: farm.proxies?.text("shared"),
            accounts: farm.proxies?.number("accounts") ?? 0)
        for listener in farm.gateway?.response?["web"]?.array.map({ Array($0) }) ?? [] {
            findings.append(
                rules.connections(
                    busiest: listener.text("busiest"), holds: listener.number("busiestHolds") ?? 0,
                    of: listener.number("perAddress") ?? 0, halfOpen: listener.number("halfOpen") ?? 0,
                    ofHalfOpen: listener.number("halfOpenPerAddress") ?? 0, refused: listener.number("refused") ?? 0))
        }
        if let ledger = farm.ledger, ledger.response != nil {
            findings.append(rules.address(ledger.response?.text("address")))
        }
        return findings + farm.services.flatMap(radios)
    }

    /// Returns findings about radios that are missing or do not work.
    private func radios(_ service: FarmStatus.Service) -> [Finding] {
        let sources = service.response?["sources"]?.array.map { Array($0) } ?? []
        return sources.compactMap { source in
            let name = source.text("source") ?? ""
            if name.hasPrefix("mqtt") { return broker(name, source) }
            if source["present"]?.isFalse == true {
                return Finding(
                    "radio", .act, "The radio \(name) is not there.", of: name,
                    do: "Plug it in again, and check whether the farm's user may open it (group dialout).")
            }
            return source.text("trouble").map { trouble in
                Finding(
                    "radio", .act, "The radio \(name) does not work: \(trouble).", of: name,
                    do: "Unplug it and plug it in again. It has to be a Z-Stack coordinator whose network is formed.")
            }
        }
    }

    /// Returns a finding about an MQTT broker that is away or refuses the connection.
    private func broker(_ name: String, _ source: JSONValue) -> Finding? {
        let trouble = source.text("trouble").map { ": \($0)" }
        if source["present"]?.isFalse == true {
            return Finding(
                "radio", .act, "The MQTT broker \(name) is not connected\(trouble ?? " yet").", of: name,
                do: "Check whether it runs, and the settings that begin with FURROW_MQTT. Meanwhile the broker stores "
                    + "what is published at QoS 1.")
        }
        return trouble.map { trouble in
            Finding(
                "radio", .act, "The MQTT broker \(name) is connected, but not everything is read\(trouble).",
                of: name,
                do: "Check the rights of the account FURROW_MQTT_USER at the broker, and FURROW_MQTT_TOPICS.")
        }
    }

    private func running(_ service: FarmStatus.Service) -> Finding {
        let advice = rules.lookAtLogs(of: service.origin)
        switch service.state {
        case "ok":
            let remark = service.remark.map { " Note: \($0)." } ?? ""
            return Finding("running", .ok, "\(service.origin) runs and is ready.\(remark)")
        case "degraded":
            return Finding(
                "running", .mind, "\(service.origin) runs, but \(service.troubles.joined(separator: "; "))", do: advice)
        case "down":
            return Finding(
                "running", .act, "\(service.origin) is not ready: \(service.troubles.joined(separator: "; "))",
                of: service.origin, do: advice)
        default:
            return Finding(
                "running", .act, "\(service.origin) does not respond.", of: service.origin, do: advice)
        }
    }

    /// Checks whether the gateway serves its pages.
    private func look(at kind: String) -> Finding {
        do {
            let response = try HTTPClient().send("GET", "\(kind)/", timeoutSeconds: 3)
            guard response.status == 200 else { throw Refusal("the status is \(response.status)") }
            return Finding("door", .ok, "The pages are served at \(kind).")
        } catch {
            return Finding(
                "door", .act, "The pages at \(kind) do not open: \(error)",
                do: "Check whether another program has the port. \(rules.lookAtLogs(of: "sync-gateway"))")
        }
    }

    // MARK: One machine

    func ofTheDatabase() -> [Finding] {
        [
            PrivatePostgres(farmPaths: farmPaths).isAwake
                ? Finding("postgres", .ok, "The database accepts connections.")
                : Finding(
                    "postgres", .act, "The database does not respond.", do: rules.lookAtLogs(of: "postgres"))
        ]
    }

    func ofTheHome(_ farm: FarmStatus?) -> [Finding] {
        var findings: [Finding] = []
        do {
            findings.append(
                rules.disk(try farm?.disk ?? DiskStatus(of: farmPaths.home), pace: farm?.pace))
            let record = BackupRecord.read(farmPaths.home)
            findings.append(rules.backup(record, at: now))
            findings += rules.secrets(try oldSecrets(record), in: folder(of: record))
            findings.append(rules.permissions(home: farmPaths.home, open: try openFiles()))
        } catch {
            findings.append(
                Finding(
                    "permissions", .act, "\(farmPaths.home) cannot be checked: \(error)",
                    do: "Run this as the farm's own user, or as root."))
        }
        findings.append(rules.clock(now: now, newest: farm?.newest))
        findings += views(farm)
        if File.exists("\(farmPaths.home)/\(RestoreMark.fileName)") {
            findings.append(
                Finding(
                    "restore", .act, "A restore into \(farmPaths.home) was not finished.",
                    do: "Run furrow restore again with the same backup."))
        }
        return findings
    }

    /// Returns findings about views beside those in use, except the former ones.
    private func views(_ farm: FarmStatus?) -> [Finding] {
        do {
            let beside = try ViewsBeside.all(
                in: farmPaths, conninfo: farm?.ledger?.response == nil ? nil : farmPaths.conninfo)
            return beside.filter { $0.place != .previous }.map { views in
                views.place == .ready
                    ? Finding("views", .ok, views.sentence)
                    : Finding(
                        "views", .mind, views.sentence, do: "furrow rebuild \(views.instance) --drop removes them.")
            }
        } catch {
            return [
                Finding("views", .mind, "The views beside those in use cannot be read: \(error)", do: "Try again.")
            ]
        }
    }

    private func folder(of record: BackupRecord) -> String {
        let parts = record.path?.split(separator: "/").dropLast() ?? []
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the secrets beside the last backup that have expired.
    private func oldSecrets(_ record: BackupRecord) throws -> [String] {
        let folder = folder(of: record)
        guard record.path != nil, Directory.isDirectory(folder) else { return [] }
        return BackupRetention(keep: nil, now: now).expired(among: try Directory.list(folder))
    }

    private func openFiles() throws -> [String] {
        var open: [String] = []
        if try File.access(farmPaths.home).mode & 0o077 == 0 { return [] }
        // The home lets others in, so its content is checked as well.
        for name in try HomeContents.names(in: farmPaths.home) where name != "ca.pem" {
            if try File.access("\(farmPaths.home)/\(name)").mode & 0o077 != 0 {
                open.append("\(farmPaths.home)/\(name)")
            }
        }
        return open
    }

    // MARK: Containers

    /// Returns findings about disk, backups and clock as the services report them, and about the services' keys.
    func ofTheStack(_ farm: FarmStatus) -> [Finding] {
        var findings: [Finding] = []
        if let disk = farm.disk {
            findings.append(rules.disk(disk, pace: farm.pace))
        }
        let record = farm.backup ?? BackupRecord()
        findings.append(rules.backup(record, at: now))
        findings += rules.secrets(ofLast: record, at: now)
        findings.append(rules.clock(now: now, newest: farm.newest))
        findings.append(keys())
        return findings
    }

    private func keys() -> Finding {
        do {
            guard let keys = try CurveKeys(Settings.fromProcess()) else { return rules.keys(nil, problem: nil) }
            return rules.keys(keys.list.keys.map(\.service), problem: nil)
        } catch {
            return rules.keys(nil, problem: "\(error)")
        }
    }
}
