import EventSourcing
import EventStore
import Host
import HubStore
import System

/// Restores a verified backup into a home, or into the homes of all services.
///
/// A mark file in each home prevents a start until everything is restored.
struct Restoring {
    let farmPaths: FarmPaths
    let facts: BackupVerifier
    let vault: BackupVerifier?

    private static let lock = "lock"
    /// The folder of a home with the backup that was fetched from a repository.
    static let fetched = "fetched"
    /// What a home may contain although it counts as empty.
    private static let ignored: Set<String> = [lock, fetched, BackupRecord.fileName]

    func run() throws {
        let homes = try farmPaths.allHomes
        let locks = try claim(homes)
        defer { withExtendedLifetime(locks) {} }
        try place(facts)
        if let vault { try place(vault) }
        try restoreHub()
        try beginEpochs()
        for home in homes {
            for name in try HomeContents.names(in: home) where Directory.isDirectory("\(home)/\(name)") {
                try Directory.synchronize("\(home)/\(name)")
            }
            try Directory.synchronize(home)
        }
        for home in homes {
            try File.remove(mark(in: home))
            try Directory.synchronize(home)
        }
    }

    private func mark(in home: String) -> String { "\(home)/\(RestoreMark.fileName)" }
    private var why: String { "restored from \(facts.manifest.name)" }

    // MARK: Before anything is written

    /// Locks and marks the homes, which must be empty or partly restored.
    ///
    /// A record of a failed backup counts as empty.
    private func claim(_ homes: [String]) throws -> [FileLock] {
        let found = try homes.map { File.exists($0) ? try HomeContents.names(in: $0) : [] }
        let isHalfMade = found.contains { $0.contains(RestoreMark.fileName) }
        for (home, names) in zip(homes, found)
        where !isHalfMade && !names.allSatisfy(Self.ignored.contains) {
            throw Refusal(
                farmPaths.isStack
                    ? "\(home) holds data already; restore into a farm server that has none: another COMPOSE_PROJECT_NAME."
                    : "\(home) is not empty; restore into a new home, or first move its content away.")
        }
        for home in homes { try Directory.create(home, mode: 0o700) }
        try checkRoom()
        let locks = try homes.map { home in
            guard let lock = try FileLock(path: "\(home)/\(Self.lock)"), try !isServed(home) else {
                throw Refusal(
                    farmPaths.isStack
                        ? "\(home) is in use; stop the services first: docker compose stop"
                        : "A farm server is running in \(home); restore into another home.")
            }
            return lock
        }
        try checkDatabase(isHalfMade: isHalfMade)
        // The homes were empty when they were marked, so their content comes from an interrupted restore.
        for (home, names) in zip(homes, found) {
            for name in names where name != Self.lock && name != Self.fetched && name != RestoreMark.fileName {
                try Directory.remove("\(home)/\(name)")
            }
            try File.writeAtomically(mark(in: home), Array("\(facts.manifest.name)\n".utf8), mode: 0o600)
        }
        return locks
    }

    /// Returns whether a service holds the lock of one of its slots in a home.
    private func isServed(_ home: String) throws -> Bool {
        for service in try HomeContents.names(in: home) where Directory.isDirectory("\(home)/\(service)") {
            for slot in try Directory.list("\(home)/\(service)") where Int(slot) != nil {
                let path = "\(home)/\(service)/\(slot)/\(Self.lock)"
                if File.exists(path), try FileLock(path: path) == nil { return true }
            }
        }
        return false
    }

    /// Throws `Refusal` if an external database has data; removes what an interrupted restore left there.
    private func checkDatabase(isHalfMade: Bool) throws {
        guard farmPaths.homes != nil else { return }
        let database = try HomeDatabase(farmPaths, isRunning: true)
        if isHalfMade { return try HubDump.remove(database.conninfo) }
        guard try !HubDump.isThere(database.conninfo) else {
            throw Refusal("The database has a farm already; restore into an empty one. Nothing was changed.")
        }
    }

    /// Returns the bytes that a restored home takes. In Postgres, the hub needs about twice its size.
    static func room(facts: Manifest, vault: Manifest?) -> UInt64 {
        let hub = facts.files.filter { $0.path.hasPrefix("hub/") }.reduce(0) { $0 + $1.sum.bytes }
        return UInt64(facts.bytes + hub + (vault?.bytes ?? 0))
    }

    /// Throws `Refusal` before anything is written if a disk is too small.
    private func checkRoom() throws {
        let needed = Self.room(facts: facts.manifest, vault: vault?.manifest)
        for home in try farmPaths.allHomes {
            let free = try DiskSpace(of: home).free
            guard free > needed else {
                throw Refusal(
                    "\(home) needs about \(Amount.bytes(needed)) and has \(Amount.bytes(free)) left; "
                        + "choose a larger disk.")
            }
        }
    }

    // MARK: Writing

    /// Copies every file that has a path in a home, and checks each copy against the manifest.
    private func place(_ check: BackupVerifier) throws {
        for file in check.manifest.files {
            guard let place = HomeContents.place(of: file.path, part: check.manifest.part) else { continue }
            let target = path(of: place)
            let folder = target.split(separator: "/").dropLast().joined(separator: "/")
            try Directory.create("/\(folder)", mode: 0o700)
            let sum = try FileCopy.copy("\(check.folder)/\(file.path)", to: target)
            guard sum == file.sum else {
                throw Refusal("\(file.path) changed while it was copied; restore again.")
            }
            try Directory.synchronize("/\(folder)")
        }
    }

    /// Returns the path of a file by its place in a home: in a service's slot, or with the data of no service.
    private func path(of place: String) -> String {
        let parts = place.split(separator: "/")
        return "\(farmPaths.home(of: parts.count > 2 ? String(parts[0]) : nil))/\(place)"
    }

    private func restoreHub() throws {
        let database = try HomeDatabase(farmPaths, isRunning: false)
        do {
            var readers: [String: HubTableFiles.Reader] = [:]
            try HubDump.restore(database.conninfo) { table in
                var reader =
                    readers[table] ?? HubTableFiles.Reader(table, of: facts.manifest, in: facts.folder)
                defer { readers[table] = reader }
                return try reader.read(FileSum.smallestBlockBytes)
            }
            if let hub = facts.manifest.hub {
                try HubLog(database.conninfo, feed: hub.origin, why: why, at: AdjustableClock.machine)
                    .beginEpoch(why: why, at: AdjustableClock.machine)
            }
        } catch {
            try database.stop()
            throw error
        }
        try database.stop()
    }

    /// Begins a new epoch of each journal.
    ///
    /// Events after the backup are lost, but others may have read them. So each journal starts a new history, which
    /// records where the old one ends.
    private func beginEpochs() throws {
        for journal in facts.manifest.journals {
            guard let place = HomeContents.place(of: journal.file, part: .facts) else { continue }
            let log = try SQLiteLog(
                path: path(of: place), feed: journal.head.feed, why: why, at: AdjustableClock.machine)
            try log.beginEpoch(why: why, at: AdjustableClock.machine)
        }
    }
}
