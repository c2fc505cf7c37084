import Host
import System
import Vocabulary

/// The rules of the doctor: what measured numbers mean for a farm. They are independent of the numbers' source.
struct DoctorRules {
    /// The form in which advice names commands.
    let wording: Wording

    init(_ wording: Wording = Wording(isStack: false)) {
        self.wording = wording
    }

    static let backupHours = 26.0
    static let daysAtLeast = 30
    static let lagAtMost = 1000
    static let certificateDays = 21.0
    static let clockSeconds = 5.0
    static let accountsFromOneAddress = 3

    /// - Parameter pace: the growth rate; nil if it is not known yet.
    func disk(_ disk: DiskStatus, pace: DiskGrowthEstimate?) -> Finding {
        let days = pace?.days(disk)
        let said = Self.sentences(on: disk, pace)
        let advice = "Move the home or its backups to a larger disk, or remove what else fills this one."
        let state: Finding.State =
            disk.isLow || (days ?? .max) < 7 ? .act : (days ?? .max) < Self.daysAtLeast ? .mind : .ok
        return Finding("disk", state, said, do: state == .ok ? nil : advice, days: days)
    }

    static func sentences(on disk: DiskStatus, _ pace: DiskGrowthEstimate?) -> String {
        let room = "\(Amount.bytes(disk.space.free)) of \(Amount.bytes(disk.space.total)) are free."
        guard !disk.isLow else { return "\(room) Nothing new is recorded until \(Amount.bytes(disk.needed)) are." }
        guard let pace else { return room }
        let days = pace.days(disk)
        let lasts =
            days > 3650 ? "more than ten years" : days > 0 ? Amount.days(days) : "less than a day"
        let seen =
            pace.seenDays > 6.5 ? "seven days" : Amount.time(seconds: pace.seenDays * 86_400)
        return "\(room) At the pace of the last \(seen) the disk is enough for \(lasts)."
    }

    func backup(_ record: BackupRecord, at now: Instant) -> Finding {
        let advice =
            wording.isStack
            ? "Make one now: \(wording.call("backup")); FURROW_BACKUPS names a folder on another disk for it."
            : "Make one now: furrow backup --to DIR, with DIR on another disk."
        if let why = record.why { return Finding("backup", .act, "The last backup failed: \(why)", do: advice) }
        guard let made = record.made else {
            return Finding("backup", .act, "There is no backup: if this disk dies, everything is lost.", do: advice)
        }
        let age = now.seconds(since: made)
        let said = "The last backup is \(Amount.time(seconds: age)) old."
        if age > Self.backupHours * 3600 {
            return Finding(
                "backup", .act, said,
                do: wording.isStack
                    ? "See why the service backups makes none: \(wording.call("logs backups"))"
                    : "Make one every day; deploy/systemd has a timer for it.")
        }
        if let fault = record.restoreFault {
            return Finding("backup", .act, "A backup could not be restored in a test: \(fault)", do: advice)
        }
        if let fault = record.copyFault {
            return Finding(
                "backup", .act, "The last backup could not be copied into the repository: \(fault)",
                do: "See that the repository can be reached, then make one: furrow backup")
        }
        if let copied = record.copied, copied >= made {
            return Finding("backup", .ok, said + " A copy of it is in the repository.")
        }
        return record.isOnSameDisk == true
            ? Finding(
                "backup", .mind, said + " It is on the same disk as the farm itself.",
                do: wording.isStack
                    ? "Set FURROW_BACKUPS to a new folder on another disk."
                    : "Copy it to another disk, or back up there with --to DIR.")
            : Finding("backup", .ok, said)
    }

    /// - Parameter old: the parts of backups that have expired.
    func secrets(_ old: [String], in folder: String) -> [Finding] {
        guard let first = old.first else { return [] }
        return [
            Finding(
                "secrets", .act, "Accounts and keys of more than 30 days ago are still in \(folder): \(first).",
                do:
                    "The next backup there removes them (\(wording.call("backup"))); copies elsewhere are yours to remove."
            )
        ]
    }

    /// The rule where the backup's folder cannot be read: its secrets have expired if the last backup is too old.
    func secrets(ofLast record: BackupRecord, at now: Instant) -> [Finding] {
        guard let made = record.made, now.seconds(since: made) > BackupRetention.vaultDays * 86_400 else { return [] }
        let path = record.path ?? ""
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        return secrets(["\(path)\(BackupMaking.vaultSuffix)"], in: "/\(folder)")
    }

    /// - Parameter newest: the recorded time of the newest event.
    func clock(now: Instant, newest: Instant?) -> Finding {
        if let newest, newest.seconds(since: now) > 60 {
            return Finding(
                "clock", .act,
                "The clock of this machine is \(Amount.time(seconds: newest.seconds(since: now))) behind what was recorded.",
                do: "If it is wrong, set it right: timedatectl set-ntp true. If it is right and was ahead before: "
                    + "\(wording.call("clock accept"))")
        }
        return Finding("clock", .ok, "The clock shows \(now.description.prefix(19))Z, and nothing recorded is later.")
    }

    /// - Parameter apart: the seconds by which each service's clock is ahead of this machine's.
    func clocks(_ apart: [(origin: String, seconds: Double)]) -> [Finding] {
        guard let worst = apart.max(by: { abs($0.seconds) < abs($1.seconds) }),
            abs(worst.seconds) > Self.clockSeconds
        else { return [] }
        let way = worst.seconds > 0 ? "ahead of" : "behind"
        return [
            Finding(
                "clock", .act,
                "The clock of \(worst.origin) is \(Amount.time(seconds: abs(worst.seconds))) \(way) this one's.",
                do: "Let every machine keep time by itself: timedatectl set-ntp true")
        ]
    }

    /// - Parameter others: services of another build than this command, with its build time.
    func builds(_ others: [(origin: String, built: Instant)]) -> Finding {
        guard let first = others.first else {
            return Finding("versions", .ok, "All services are of the same build as this command.")
        }
        return Finding(
            "versions", .mind,
            "\(first.origin) is of another build (\(first.built.description.prefix(16))Z) than this command"
                + (others.count > 1 ? ", and \(others.count - 1) more are." : "."),
            do: wording.isStack
                ? "Start all of them from the same images: docker compose up -d --build"
                : "Restart it with the installed build: deploy/down, then deploy/up; or systemctl restart furrow")
    }

    func missing(_ what: String) -> Finding {
        Finding(
            "running", .act, "\(what).", of: String(what.prefix { $0 != " " }),
            do: "Look at: docker compose ps; then docker compose logs \(what.prefix { $0 != " " })")
    }

    func lookAtLogs(of origin: String) -> String {
        "Look at: \(wording.call("logs \(origin.prefix { $0 != "/" })"))"
    }

    /// - Parameter listed: the service of each key on the list; nil if there is no list.
    func keys(_ listed: [String]?, problem: String?) -> Finding {
        let advice = "Write what is missing: docker compose run --rm init"
        guard let listed, problem == nil else {
            return Finding("keys", .act, "The keys cannot be used: \(problem ?? "there are none").", do: advice)
        }
        let twice = Set(listed.filter { name in listed.count { $0 == name } > 1 })
        guard twice.isEmpty else {
            return Finding(
                "keys", .mind, "\(twice.sorted().joined(separator: ", ")) may still use an old key.",
                do: "New keys take some seconds; if this stays, finish it: docker compose run --rm init")
        }
        return Finding("keys", .ok, "\(listed.count) services have a key, and each is on the list once.")
    }

    func certificate(expires: Instant?, now: Instant) -> Finding? {
        guard let expires else { return nil }
        let days = expires.seconds(since: now) / 86_400
        let said =
            days < 0 ? "The https certificate has expired." : "The https certificate is valid for \(Int(days)) days."
        let advice =
            "The farm's own CA issues a new one at a restart; a certificate from another CA has to be renewed."
        if days < 3 { return Finding("certificate", .act, said, do: advice) }
        return days < Self.certificateDays
            ? Finding("certificate", .mind, said, do: advice) : Finding("certificate", .ok, said)
    }

    /// - Parameter forwarder: an address that sends forwarding headers and is not trusted.
    /// - Parameter shared: an address of this machine from which several accounts signed in.
    func proxies(forwarder: String?, shared: String?, accounts: Int) -> [Finding] {
        let effect = "All who come through it share one limit, so wrong passwords of one user slow down the others."
        if let forwarder {
            return [
                Finding(
                    "proxy", .mind, "A reverse proxy at \(forwarder) stands in front and is not trusted. \(effect)",
                    do: "If it is the farm's own, set FURROW_TRUSTED_PROXIES=\(forwarder) and restart.")
            ]
        }
        guard let shared, accounts >= Self.accountsFromOneAddress else { return [] }
        return [
            Finding(
                "proxy", .mind, "\(accounts) accounts signed in from \(shared), an address of this machine. \(effect)",
                do: "Make the farm's own reverse proxy send X-Forwarded-For, and list it in FURROW_TRUSTED_PROXIES."
            )
        ]
    }

    /// - Parameters:
    /// - busiest: the address with the most connections to a listener.
    /// - most: the connection limit of one address.
    /// - halfOpen: connections without a complete request.
    /// - refused: connections that were closed because of a limit, since the start.
    func connections(
        busiest: String?, holds count: Int, of most: Int, halfOpen: Int, ofHalfOpen mostHalfOpen: Int, refused: Int
    ) -> Finding {
        let isCrowded = 4 * count >= 3 * most || 4 * halfOpen >= 3 * mostHalfOpen
        guard let busiest, isCrowded else {
            return Finding("connections", .ok, "No address has many connections.")
        }
        return Finding(
            "connections", .mind,
            "\(busiest) has the most connections: \(count), of at most \(most) for one address. \(halfOpen) connections "
                + "sent no complete request; \(refused) were refused since the start.",
            do: "Block it in the firewall if it is not yours. A reverse proxy belongs into FURROW_TRUSTED_PROXIES; "
                + "FURROW_HTTP_PER_ADDRESS raises the limit.")
    }

    /// - Parameter waiting: the number of later events that wait behind the parked ones.
    func parked(_ count: Int, waiting: Int) -> Finding {
        guard count + waiting > 0 else { return Finding("parked", .ok, "No event is parked.") }
        let behind = waiting == 0 ? "" : " \(waiting) later ones of the same streams wait behind them."
        return Finding(
            "parked", .mind, "\(count) events could not be applied and need a decision.\(behind)",
            do: "Look at them: \(wording.call("parked list")); then retry or skip each.")
    }

    func lag(_ waiting: [(origin: String, events: Int)]) -> Finding {
        let late = waiting.filter { $0.events > Self.lagAtMost }
        guard let worst = late.max(by: { $0.events < $1.events }) else {
            return Finding("journals", .ok, "Everything that was recorded has reached the hub and its readers.")
        }
        return Finding(
            "journals", .mind, "\(worst.events) events of \(worst.origin) are still on their way.",
            do: "Wait a minute and look again; if the number grows: \(lookAtLogs(of: "trace-ledger"))")
    }

    func address(_ address: String?) -> Finding {
        guard let address, !address.isEmpty else {
            return Finding(
                "address", .mind, "No public address is set, so labels cannot be printed.",
                do: "Start with FURROW_PUBLIC_URL=https://your.farm, the address that buyers will open.")
        }
        let isLocal = ["127.0.0.1", "localhost", "[::1]"].contains { address.contains("://\($0)") }
        return isLocal
            ? Finding(
                "address", .mind, "Labels carry \(address), which only this machine can open.",
                do: "Set FURROW_PUBLIC_URL to the address that buyers will open, before labels are printed.")
            : Finding("address", .ok, "Labels carry \(address).")
    }

    /// - Parameter open: files that users other than their owner may read or write.
    func permissions(home: String, open: [String]) -> Finding {
        guard let first = open.first else {
            return Finding("permissions", .ok, "Only the farm's own user can read \(home).")
        }
        return Finding(
            "permissions", .act, "Others on this machine may read \(first)" + (open.count > 1 ? " and more." : "."),
            do: "Close it: chmod -R go-rwx \(home)")
    }
}
