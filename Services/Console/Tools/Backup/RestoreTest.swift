import EventSourcing
import EventStore
import Host
import HubStore
import System
import Vocabulary

/// Restores a backup into a scratch home, reads everything there from the first to the last event, and removes it: a
/// backup is worth what can be restored from it.
struct RestoreTest {
    /// The facts of the backup; the secrets lie beside them.
    let set: String
    /// The folder of all backups.
    let folder: String
    /// The home that was backed up. The scratch home is in it, because a disk for backups need not have the permissions
    /// that a database requires.
    let home: String
    /// The database beside which a scratch one is made, in containers; nil where the scratch home has one of its own.
    let conninfo: String?

    /// Days between two tests.
    static let days = 7.0
    /// The name of the scratch home. A test removes what an interrupted one left.
    static let scratch = "restore-test"

    /// What a test read.
    struct Outcome {
        let events: Position
        let journals: Int
    }

    /// No test can be made now, which is no fault of the backup.
    struct Postponed: Error {
        let reason: String
    }

    /// Returns whether a test is due.
    static func isDue(_ record: BackupRecord, at now: Instant) -> Bool {
        if record.restoreFault != nil { return true }
        guard let last = record.restored else { return true }
        return abs(now.seconds(since: last)) >= days * 86_400
    }

    func run() throws -> Outcome {
        guard let lock = try FileLock(path: "\(folder)/\(BackupMaking.lock)") else {
            throw Postponed(reason: "another backup is being made in \(folder)")
        }
        defer { withExtendedLifetime(lock) {} }
        let facts = try BackupVerifier(set)
        let vault = try BackupVerifier(set + BackupMaking.vaultSuffix)
        try facts.run()
        try vault.run()
        let scratch = "\(home)/\(Self.scratch)"
        try Directory.remove(scratch)
        // The farm server records nothing on a disk that is nearly full.
        let needed = Restoring.room(facts: facts.manifest, vault: vault.manifest)
        let left = try DiskStatus(of: home).left
        guard left > needed else {
            throw Postponed(reason: "it needs \(Amount.bytes(needed)), and \(home) has \(Amount.bytes(left)) to spare")
        }
        defer { remove(scratch) }
        let farmPaths = try FarmPaths(home: scratch, environment: [:])
        guard let conninfo else {
            try Restoring(farmPaths: farmPaths, facts: facts, vault: vault).run()
            return try readBack(facts.manifest, in: farmPaths)
        }
        let database = try ScratchDatabase(beside: conninfo)
        do {
            try Restoring(farmPaths: farmPaths, facts: facts, vault: vault, conninfo: database.conninfo).run()
            try checkJournals(facts.manifest, in: farmPaths)
            let outcome = try checkHub(facts.manifest, database.conninfo)
            try database.remove()
            return outcome
        } catch {
            try database.remove()
            throw error
        }
    }

    /// Reads the restored journals and hub. Each begins a new epoch, so it has one event more than the backup.
    private func readBack(_ manifest: Manifest, in farmPaths: FarmPaths) throws -> Outcome {
        try checkJournals(manifest, in: farmPaths)
        let database = try HomeDatabase(farmPaths, isRunning: false)
        do {
            let outcome = try checkHub(manifest, database.conninfo)
            try database.stop()
            return outcome
        } catch {
            try database.stop()
            throw error
        }
    }

    private func checkHub(_ manifest: Manifest, _ conninfo: String) throws -> Outcome {
        let head = try readHub(conninfo)
        try check("the hub", endsAt: head.position, after: manifest.hub?.head.position ?? 0)
        return Outcome(events: head.position, journals: manifest.journals.count)
    }

    private func checkJournals(_ manifest: Manifest, in farmPaths: FarmPaths) throws {
        for journal in manifest.journals {
            guard let place = HomeContents.place(of: journal.file, part: .facts) else { continue }
            let head = try SQLiteReader(path: "\(farmPaths.home)/\(place)").followChain()
            try check(journal.head.feed, endsAt: head.position, after: journal.head.position)
        }
    }

    /// Verifies the chain of all entries in the database and returns its head.
    private func readHub(_ conninfo: String) throws -> Head {
        let hub = try HubSnapshot(conninfo) {}
        var chain = HubDumpChain(after: hub.start)
        try hub.copyOut("entry") { piece in try chain.take(piece) }
        try chain.end(at: hub.head)
        return hub.head
    }

    private func check(_ feed: String, endsAt end: Position, after backedUp: Position) throws {
        guard end == backedUp + 1 else {
            throw Refusal("\(feed) ends at \(end) after it was restored, and not at \(backedUp + 1).")
        }
    }

    private func remove(_ scratch: String) {
        do {
            try Directory.remove(scratch)
        } catch {
            Terminal.complain("\(scratch) could not be removed: \(error)")
        }
    }
}
