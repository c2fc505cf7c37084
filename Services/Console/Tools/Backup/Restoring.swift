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
    /// The database into which the hub is restored; nil for that of the home.
    var conninfo: String?

    /// The folder of a home with the backup that was fetched from a repository.
    static let fetched = "fetched"
    /// What a home may contain although it counts as empty.
    private static let ignored: Set<String> = [HomeContents.lock, fetched, BackupRecord.fileName]

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
        try RestoreMark.clear(homes)
    }

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
        let locks = try HomeContents.lock(homes) { home in
            Refusal(
                farmPaths.isStack
                    ? "\(home) is in use; stop the services first: docker compose stop"
                    : "A farm server is running in \(home); restore into another home.")
        }
        try checkDatabase(isHalfMade: isHalfMade)
        // The homes were empty when they were marked, so their content comes from an interrupted restore.
        for (home, names) in zip(homes, found) {
            for name in names where name != HomeContents.lock && name != Self.fetched && name != RestoreMark.fileName {
                try Directory.remove("\(home)/\(name)")
            }
        }
        try RestoreMark.set(homes, origin: facts.manifest.name)
        return locks
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
            let target = farmPaths.path(of: place)
            let folder = target.split(separator: "/").dropLast().joined(separator: "/")
            try Directory.create("/\(folder)", mode: 0o700)
            let sum = try FileCopy.copy("\(check.folder)/\(file.path)", to: target)
            guard sum == file.sum else {
                throw Refusal("\(file.path) changed while it was copied; restore again.")
            }
            try Directory.synchronize("/\(folder)")
        }
    }

    private func restoreHub() throws {
        if let conninfo { return try restoreHub(into: conninfo) }
        let database = try HomeDatabase(farmPaths, isRunning: false)
        do {
            try restoreHub(into: database.conninfo)
        } catch {
            try database.stop()
            throw error
        }
        try database.stop()
    }

    private func restoreHub(into conninfo: String) throws {
        var readers: [String: HubTableFiles.Reader] = [:]
        try HubDump.restore(conninfo) { table in
            var reader = readers[table] ?? HubTableFiles.Reader(table, of: facts.manifest, in: facts.folder)
            defer { readers[table] = reader }
            return try reader.read(FileSum.smallestBlockBytes)
        }
        guard let hub = facts.manifest.hub else { return }
        try HubLog(conninfo, feed: hub.origin, why: why, at: AdjustableClock.machine)
            .beginEpoch(why: why, at: AdjustableClock.machine)
    }

    /// Begins a new epoch of each journal.
    ///
    /// Events after the backup are lost, but others may have read them. So each journal starts a new history, which
    /// records where the old one ends.
    private func beginEpochs() throws {
        for journal in facts.manifest.journals {
            guard let place = HomeContents.place(of: journal.file, part: .facts) else { continue }
            let log = try SQLiteLog(
                path: farmPaths.path(of: place), feed: journal.head.feed, why: why, at: AdjustableClock.machine)
            try log.beginEpoch(why: why, at: AdjustableClock.machine)
        }
    }
}
