import Host
import Vocabulary

/// What numbers mean for a farm: the rules of the doctor, apart from where the numbers come from.
enum Judgement {
    static let backupHours = 26.0
    static let daysAtLeast = 30.0
    static let bytesAtLeast: UInt64 = 1_000_000_000
    static let lagAtMost = 1000
    static let certificateDays = 21.0

    /// - Parameter bytesPerDay: by how much the home grows; nil where nobody can tell yet.
    static func disk(free: UInt64, size: UInt64, bytesPerDay: Double?) -> Finding {
        let days = bytesPerDay.flatMap { $0 > 0 ? Double(free) / $0 : nil }
        var said = "\(Amount.bytes(free)) of \(Amount.bytes(size)) are free"
        if let days {
            said +=
                days > 3650 ? "; that is enough for more than ten years." : "; at this pace it lasts \(Int(days)) days."
        } else {
            said += "."
        }
        let advice = "Move the home or its backups to a larger disk, or remove what else fills this one."
        if free < bytesAtLeast || (days ?? .infinity) < 7 { return Finding("disk", .act, said, do: advice) }
        return (days ?? .infinity) < daysAtLeast ? Finding("disk", .mind, said, do: advice) : Finding("disk", .ok, said)
    }

    static func backup(_ record: BackupRecord, at now: Instant, onSameDisk: Bool) -> Finding {
        let advice = "Make one now: furrow backup --to DIR, with DIR on another disk."
        if let why = record.why { return Finding("backup", .act, "The last backup failed: \(why)", do: advice) }
        guard let made = record.made else {
            return Finding("backup", .act, "There is no backup: if this disk dies, everything is lost.", do: advice)
        }
        let age = now.seconds(since: made)
        let said = "The last backup is \(Amount.time(seconds: age)) old."
        if age > backupHours * 3600 {
            return Finding("backup", .act, said, do: "Make one every day; deploy/systemd has a timer for it.")
        }
        return onSameDisk
            ? Finding(
                "backup", .mind, said + " It lies on the same disk as the farm itself.",
                do: "Copy it to another disk, or back up there with --to DIR.")
            : Finding("backup", .ok, said)
    }

    /// - Parameter old: parts of backups that may not be kept any longer.
    static func secrets(_ old: [String], in folder: String) -> [Finding] {
        guard let first = old.first else { return [] }
        return [
            Finding(
                "secrets", .act, "Accounts and keys of more than 30 days ago still lie in \(folder): \(first).",
                do: "The next furrow backup --to \(folder) removes them; copies elsewhere are yours to remove.")
        ]
    }

    /// - Parameter newest: what the newest event was stamped with.
    static func clock(now: Instant, newest: Instant?) -> Finding {
        if let newest, newest.seconds(since: now) > 60 {
            return Finding(
                "clock", .act,
                "The clock of this machine is \(Amount.time(seconds: newest.seconds(since: now))) behind what was recorded.",
                do: "Set it right, and let the machine keep time by itself: timedatectl set-ntp true")
        }
        return Finding("clock", .ok, "The clock says \(now.description.prefix(19))Z, and nothing recorded is later.")
    }

    static func certificate(expires: Instant?, now: Instant) -> Finding? {
        guard let expires else { return nil }
        let days = expires.seconds(since: now) / 86_400
        let said =
            days < 0 ? "The certificate for https is over." : "The certificate for https is good for \(Int(days)) days."
        let advice =
            "The farm's own authority makes a new one at a restart; a certificate from outside has to be renewed."
        if days < 3 { return Finding("certificate", .act, said, do: advice) }
        return days < certificateDays
            ? Finding("certificate", .mind, said, do: advice) : Finding("certificate", .ok, said)
    }

    static func parked(_ count: Int) -> Finding {
        count == 0
            ? Finding("parked", .ok, "No event is parked.")
            : Finding(
                "parked", .mind, "\(count) events could not be used and wait for you.",
                do: "Look at them: furrow parked list; then retry or skip each.")
    }

    static func lag(_ waiting: [(origin: String, events: Int)]) -> Finding {
        let late = waiting.filter { $0.events > lagAtMost }
        guard let worst = late.max(by: { $0.events < $1.events }) else {
            return Finding("journals", .ok, "Everything that was recorded has reached the hub and its readers.")
        }
        return Finding(
            "journals", .mind, "\(worst.events) events of \(worst.origin) are still on their way.",
            do: "Wait a minute and look again; if the number grows, look at: furrow logs trace-ledger")
    }

    static func address(_ address: String?) -> Finding {
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

    /// - Parameter open: files that others than their owner may read or write.
    static func permissions(home: String, open: [String]) -> Finding {
        guard let first = open.first else {
            return Finding("permissions", .ok, "Only the farm's own user can read \(home).")
        }
        return Finding(
            "permissions", .act, "Others on this machine may read \(first)" + (open.count > 1 ? " and more." : "."),
            do: "Close it: chmod -R go-rwx \(home)")
    }
}
