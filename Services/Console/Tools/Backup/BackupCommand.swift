import EventSourcing
import EventStore
import Host
import JSON
import Postgres
import SQLite
import System
import Vocabulary

/// `furrow backup`: copies all permanent data while everything runs.
struct BackupCommand {
    private let farmPaths: FarmPaths
    private let folder: String
    private let keep: Int?
    private let isJSON: Bool
    private let isNightly: Bool
    private let testsRestore: Bool
    private let createsRepository: Bool
    private let repository: BackupRepository?

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        folder =
            try arguments.value("--to") ?? Machine.environment["FURROW_BACKUPS"] ?? "\(farmPaths.home)/backups"
        keep = try arguments.number("--keep", 1...10_000)
        isJSON = arguments.flag("--json")
        isNightly = arguments.flag("--nightly")
        testsRestore = arguments.flag("--test-restore")
        createsRepository = arguments.flag("--create-repository")
        repository = try BackupRepository(&arguments, farmPaths)
        try arguments.end()
        guard !createsRepository || repository != nil else {
            throw Refusal("Name the repository: furrow backup --create-repository --repository ADDRESS", isMisuse: true)
        }
        guard folder.hasPrefix("/") else {
            throw Refusal("--to must be a path that begins with a slash, not \(folder).", isMisuse: true)
        }
    }

    func run() throws -> Int32 {
        if try farmPaths.standbySettings?.role == .vote {
            throw Refusal("This machine votes, and has no data; make backups on the farm server or on its standby.")
        }
        try farmPaths.requireAllHomes(for: "backup")
        guard Directory.isDirectory(farmPaths.home) else { throw Refusal("There is no home \(farmPaths.home).") }
        try DropPrivileges.ifNeeded(of: farmPaths.home)
        if createsRepository { return try createRepository() }
        if isNightly { return try NightlyBackupLoop(farmPaths).run { _ = try once() } }
        return try once()
    }

    private func once() throws -> Int32 {
        do {
            if try farmPaths.isStandby || !HomeContents(farmPaths.allHomes).journals.isEmpty {
                try back()
                let copied = try copy()
                let tested = testsRestore || isNightly ? try testRestore() : 0
                return max(copied, tested)
            }
        } catch {
            // The failure is recorded, so that status and doctor report it.
            var record = BackupRecord.read(farmPaths.home(of: nil))
            record.failed = AdjustableClock.machine
            record.why = Self.sentence(error)
            try keep(record)
            throw Refusal(Self.sentence(error))
        }
        // An empty home stays empty, so that a backup can be restored into it.
        throw Refusal("\(farmPaths.homes ?? farmPaths.home) holds no farm yet; there is nothing to back up.")
    }

    private func back() throws {
        let began = Clock.monotonicMicroseconds()
        let lock = try farmPaths.isStack ? nil : FileLock(path: "\(farmPaths.home)/lock")
        defer { withExtendedLifetime(lock) {} }
        let database = try HomeDatabase(farmPaths, isRunning: lock == nil)
        let now = AdjustableClock.machine
        let made: BackupMaking.Made
        do {
            made = try make(database.conninfo, at: now)
        } catch {
            try database.stop()
            throw error
        }
        try database.stop()
        let before = BackupRecord.read(farmPaths.home(of: nil))
        var record = BackupRecord()
        (record.restored, record.restoreFault) = (before.restored, before.restoreFault)
        record.copied = before.copied
        record.made = now
        record.path = "\(folder)/\(made.name)"
        record.bytes = made.facts.bytes + made.vault.bytes
        record.isOnSameDisk = try farmPaths.allHomes.contains {
            try File.device($0) == File.device(folder)
        }
        try keep(record)
        let gone = try BackupRetention(keep: keep, now: now).apply(in: folder)
        let seconds = Double(Clock.monotonicMicroseconds() - began) / 1_000_000
        if isJSON { Terminal.put(json(made, gone, seconds) + [10]) } else { tell(made, gone, seconds) }
    }

    /// Makes a backup of this machine's farm, or of the one whose standby it is.
    private func make(_ conninfo: String, at now: Instant) throws -> BackupMaking.Made {
        guard try farmPaths.isStandby else {
            return try BackupMaking(
                homes: farmPaths.allHomes, isDatabaseElsewhere: farmPaths.homes != nil, conninfo: conninfo,
                folder: folder, made: now
            ).make()
        }
        let copy = try StandbyCopy(of: farmPaths, conninfo)
        do {
            let made = try BackupMaking(
                homes: [copy.home], isDatabaseElsewhere: true, conninfo: conninfo, folder: folder, made: now
            ).make()
            try copy.end()
            return made
        } catch {
            try copy.end()
            throw error
        }
    }

    private func createRepository() throws -> Int32 {
        guard let password = try repository?.create() else { return 1 }
        Terminal.say("The repository is created, and every backup will be copied there. Its password:\n")
        Terminal.say("    \(password)\n")
        Terminal.say("Write it on paper and keep it away from this machine: without it the copies cannot be read.")
        return 0
    }

    /// Copies the new backup into the repository, if there is one. Returns the exit status.
    private func copy() throws -> Int32 {
        var record = BackupRecord.read(farmPaths.home(of: nil))
        guard let repository, let set = record.path else { return 0 }
        let began = Clock.monotonicMicroseconds()
        let now = AdjustableClock.machine
        if !isJSON { Terminal.complain("Copying the backup into the repository …") }
        do {
            try repository.copy(set, day: Int(now.seconds(since: Instant(microseconds: 0)) / 86_400))
            (record.copied, record.copyFault) = (now, nil)
            try keep(record)
            guard !isJSON else { return 0 }
            let seconds = Double(Clock.monotonicMicroseconds() - began) / 1_000_000
            Terminal.say("Copied into the repository and verified in \(Amount.time(seconds: seconds)).")
            return 0
        } catch {
            record.copyFault = Self.sentence(error)
            try keep(record)
            Terminal.complain("The backup could not be copied into the repository: \(Self.sentence(error))")
            return 1
        }
    }

    /// Tests a restore of the new backup if the last test is a week old or failed. Returns the exit status.
    private func testRestore() throws -> Int32 {
        var record = BackupRecord.read(farmPaths.home(of: nil))
        let now = AdjustableClock.machine
        guard let set = record.path, RestoreTest.isDue(record, at: now) else { return 0 }
        do {
            if farmPaths.isStack, try farmPaths.isStandby {
                throw RestoreTest.Postponed(reason: "the database of a standby cannot be written to")
            }
            let outcome = try RestoreTest(
                set: set, folder: folder, home: farmPaths.home(of: nil),
                conninfo: farmPaths.isStack ? try farmPaths.runningDatabase : nil
            ).run()
            (record.restored, record.restoreFault) = (now, nil)
            try keep(record)
            guard !isJSON else { return 0 }
            Terminal.say(
                "Restored for a test and removed again: \(outcome.events) events of the hub, "
                    + "\(outcome.journals) journals.")
            return 0
        } catch let postponed as RestoreTest.Postponed {
            Terminal.complain("A restore could not be tested now: \(postponed.reason).")
            return 0
        } catch {
            record.restoreFault = Self.sentence(error)
            try keep(record)
            Terminal.complain("The backup could not be restored in a test: \(Self.sentence(error))")
            return 1
        }
    }

    /// Every service reports the record, so each home has it.
    private func keep(_ record: BackupRecord) throws {
        for home in try farmPaths.allHomes { try record.save(in: home) }
    }

    private func tell(_ made: BackupMaking.Made, _ gone: [String], _ seconds: Double) {
        let facts = "\(folder)/\(made.name)"
        let bytes = UInt64(made.facts.bytes + made.vault.bytes)
        let new = bytes - UInt64(made.sharedBytes)
        Terminal.say(
            "Backed up and checked: \(Amount.bytes(bytes)), of which \(Amount.bytes(new)) are new, in "
                + "\(Amount.time(seconds: seconds)).")
        Terminal.say("Facts:    \(facts)  (\(made.facts.hub?.head.position ?? 0) events)")
        Terminal.say("Secrets:  \(facts)\(BackupMaking.vaultSuffix)  (keep them apart, at most 30 days)")
        for name in gone { Terminal.say("Removed:  \(folder)/\(name), which had expired") }
        Terminal.say(
            farmPaths.isStack
                ? "Restore it into a farm server without any data: docker compose run --rm operator furrow restore \(facts)"
                : "Restore it into an empty home with: furrow restore \(facts) --home DIR")
    }

    private func json(_ made: BackupMaking.Made, _ gone: [String], _ seconds: Double) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("ok", true)
            json.field("set", "\(folder)/\(made.name)")
            json.field("vault", "\(folder)/\(made.name)\(BackupMaking.vaultSuffix)")
            json.field("made", made.facts.made)
            json.field("bytes", made.facts.bytes + made.vault.bytes)
            json.field("newBytes", made.facts.bytes + made.vault.bytes - made.sharedBytes)
            json.field("files", made.facts.files.count + made.vault.files.count)
            json.field("hub", made.facts.hub?.head.position ?? 0)
            json.field(
                "journals",
                array: { json in
                    for journal in made.facts.journals {
                        json.object { json in
                            json.field("origin", journal.head.feed)
                            json.field("epoch", journal.head.epoch)
                            json.field("head", journal.head.position)
                            json.field("hash", Hex.encode(journal.head.hash))
                        }
                    }
                })
            json.field("removed", gone)
            json.field("seconds", seconds)
        }
        return json.bytes
    }

    /// Returns an error as a sentence for the operator.
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let refusal as Refusal: refusal.description
        case let failure as LogFailure: "Could not \(failure.operation): \(failure.message)"
        case let error as PostgresError: "The database could not be read: \(error.message)"
        case let error as SQLiteError: "A journal or vault could not be read: \(error.message)"
        case let damage as Damage: "What was written cannot be read back: \(damage)"
        default: "\(error)"
        }
    }
}
