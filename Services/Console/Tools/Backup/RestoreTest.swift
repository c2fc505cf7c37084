import EventSourcing
import EventStore
import Host
import HubStore
import System
import Vocabulary

/// Restores a backup into a scratch home beside it, reads everything there from the first to the last event, and
/// removes it: a backup is worth what can be restored from it.
struct RestoreTest {
    /// The facts of the backup; the secrets lie beside them.
    let set: String
    /// The folder of all backups.
    let folder: String

    /// Days between two tests.
    static let days = 7.0

    /// What a test read.
    struct Outcome {
        let events: Position
        let journals: Int
        /// Whether a database was made from the backup, or only its files were read. In containers the database is
        /// another one's, and no scratch can be made of it.
        let isRestored: Bool
    }

    /// The disk of the backups is too small for a test. That is no fault of the backup.
    struct NoRoom: Error {
        let needed: UInt64
        let free: UInt64
    }

    /// Returns whether a test is due.
    static func isDue(_ record: BackupRecord, at now: Instant) -> Bool {
        guard let last = record.restored else { return true }
        return abs(now.seconds(since: last)) >= days * 86_400
    }

    func run() throws -> Outcome {
        let facts = try BackupVerifier(set)
        let vault = try BackupVerifier(set + BackupMaking.vaultSuffix)
        try facts.run()
        try vault.run()
        let events = facts.manifest.hub?.head.position ?? 0
        guard try Settings.fromProcess()["POSTGRES"] == nil else {
            return Outcome(events: events, journals: facts.manifest.journals.count, isRestored: false)
        }
        // The next backup removes what an interrupted test leaves.
        let home = "\(folder)/furrow-restore\(BackupMaking.unfinished)"
        try Directory.remove(home)
        let needed = Restoring.room(facts: facts.manifest, vault: vault.manifest)
        let free = try DiskSpace(of: folder).free
        guard free > needed else { throw NoRoom(needed: needed, free: free) }
        defer { removeScratch(home) }
        let farmPaths = try FarmPaths(home: home, environment: [:])
        try Restoring(farmPaths: farmPaths, facts: facts, vault: vault).run()
        try readBack(facts.manifest, in: farmPaths)
        return Outcome(events: events, journals: facts.manifest.journals.count, isRestored: true)
    }

    /// Reads the restored journals and hub. Each begins a new epoch, so it has one event more than the backup.
    private func readBack(_ manifest: Manifest, in farmPaths: FarmPaths) throws {
        for journal in manifest.journals {
            guard let place = HomeContents.place(of: journal.file, part: .facts) else { continue }
            let head = try SQLiteReader(path: "\(farmPaths.home)/\(place)").followChain()
            guard head.position == journal.head.position + 1 else {
                throw Refusal("The restored journal of \(journal.head.feed) ends at \(head.position).")
            }
        }
        let database = try HomeDatabase(farmPaths, isRunning: false)
        do {
            let hub = try HubSnapshot(database.conninfo) {}
            guard hub.head.position == (manifest.hub?.head.position ?? 0) + 1 else {
                throw Refusal("The restored hub ends at \(hub.head.position).")
            }
        } catch {
            try database.stop()
            throw error
        }
        try database.stop()
    }

    private func removeScratch(_ home: String) {
        do {
            try Directory.remove(home)
        } catch {
            Terminal.complain("The scratch home \(home) could not be removed: \(error)")
        }
    }
}
