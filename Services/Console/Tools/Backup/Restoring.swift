import EventSourcing
import EventStore
import Host
import System

/// Makes a home of a backup that was checked.
///
/// A home that is half made is not started: a file marks it until all is done.
struct Restoring {
    let premises: Premises
    let facts: SetCheck
    let vault: SetCheck?

    /// Lies in a home while it is being restored.
    static let mark = "restoring"
    private static let lock = "lock"

    func run() throws {
        guard let lock = try claim() else {
            throw Refusal("A farm server is running in \(premises.home); restore into another home.")
        }
        defer { withExtendedLifetime(lock) {} }
        try place(facts)
        if let vault { try place(vault) }
        try restoreHub()
        try beginEpochs()
        for name in try Directory.list(premises.home) where Directory.isDirectory("\(premises.home)/\(name)") {
            try Directory.synchronize("\(premises.home)/\(name)")
        }
        try Directory.synchronize(premises.home)
        try File.remove(mark)
        try Directory.synchronize(premises.home)
    }

    private var mark: String { "\(premises.home)/\(Self.mark)" }
    private var why: String { "restored from \(facts.manifest.name)" }

    /// Takes the empty home, or one whose restoring broke off, and marks it.
    private func claim() throws -> FileLock? {
        let home = premises.home
        let names = File.exists(home) ? try Directory.list(home) : []
        let isHalfMade = names.contains(Self.mark)
        guard isHalfMade || names.allSatisfy({ $0 == Self.lock }) else {
            throw Refusal("\(home) is not empty; restore into a new home, or move what is there away first.")
        }
        try Directory.create(home, mode: 0o700)
        try checkRoom()
        guard let lock = try FileLock(path: "\(home)/\(Self.lock)") else { return nil }
        // It was empty when the mark was made, so everything in it comes from a restore that broke off.
        for name in names where name != Self.lock && name != Self.mark { try Directory.remove("\(home)/\(name)") }
        try File.writeAtomically(mark, Array("\(facts.manifest.name)\n".utf8), mode: 0o600)
        return lock
    }

    /// Refuses before anything is written where the disk is too small; the hub takes about twice as much in Postgres.
    private func checkRoom() throws {
        let hub = facts.manifest.files.filter { $0.path.hasPrefix("hub/") }.reduce(0) { $0 + $1.sum.bytes }
        let needed = UInt64(facts.manifest.bytes + hub + (vault?.manifest.bytes ?? 0))
        let free = try Directory.freeBytes(premises.home)
        guard free > needed else {
            throw Refusal(
                "\(premises.home) needs about \(Amount.bytes(needed)) and has \(Amount.bytes(free)) left; "
                    + "choose a home on a larger disk.")
        }
    }

    /// Copies every file that has a place of its own, and holds what was copied against the manifest again.
    private func place(_ check: SetCheck) throws {
        for file in check.manifest.files {
            guard let place = HomeContents.place(of: file.path, part: check.manifest.part) else { continue }
            let target = "\(premises.home)/\(place)"
            let folder = target.split(separator: "/").dropLast().joined(separator: "/")
            try Directory.create("/\(folder)", mode: 0o700)
            let sum = try FileCopy.copy("\(check.folder)/\(file.path)", to: target)
            guard sum == file.sum else {
                throw Refusal("\(file.path) changed while it was copied; restore again into \(premises.home).")
            }
            try Directory.synchronize("/\(folder)")
        }
    }

    private func restoreHub() throws {
        let database = try HomeDatabase(premises, isRunning: false)
        do {
            var readers: [String: FileReader] = [:]
            try HubDump.restore(database.conninfo) { table in
                let path = "\(facts.folder)/\(BackupMaking.file(of: table))"
                let reader = try readers[table] ?? FileReader(path: path)
                readers[table] = reader
                return try reader.read(FileSum.smallestBlockBytes)
            }
            if let hub = facts.manifest.hub {
                try HubLog(database.conninfo, feed: hub.origin, why: why, at: HouseClock.machine)
                    .beginEpoch(why: why, at: HouseClock.machine)
            }
        } catch {
            try database.stop()
            throw error
        }
        try database.stop()
    }

    /// What was written after the backup is lost, and somebody elsewhere may have read it: from here on it is another
    /// life of each journal, which says up to where it is the old one.
    private func beginEpochs() throws {
        for journal in facts.manifest.journals {
            guard let place = HomeContents.place(of: journal.file, part: .facts) else { continue }
            let log = try SQLiteLog(
                path: "\(premises.home)/\(place)", feed: journal.head.feed, why: why, at: HouseClock.machine)
            try log.beginEpoch(why: why, at: HouseClock.machine)
        }
    }
}
