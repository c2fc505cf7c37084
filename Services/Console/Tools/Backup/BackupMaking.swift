import EventSourcing
import EventStore
import HubStore
import System
import Vault
import Vocabulary

/// Makes one backup of a home: two folders that belong together, the facts and separately the vaults.
///
/// All journals and the hub are copied as of one moment while everything runs. The folders get their final names once
/// their content is on the disk, read back and checked.
struct BackupMaking {
    /// The home, or the homes of all services.
    let homes: [String]
    /// Whether the hub's database is in none of them.
    let isDatabaseElsewhere: Bool
    let conninfo: String
    /// The folder of all backups.
    let folder: String
    let made: Instant

    /// A completed backup.
    struct Made {
        let name: String
        let facts: Manifest
        let vault: Manifest
        /// The bytes of files that the backup before has, too, and that take no second place on the disk.
        let sharedBytes: Int
    }

    static let vaultSuffix = ".vault"
    static let unfinished = ".partial"
    /// The file that a backup, or a test of a restore, locks in the folder.
    static let lock = "lock"

    /// `furrow-20261121T210715Z`
    static func name(at time: Instant) -> String {
        "furrow-" + time.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    func make() throws -> Made {
        let lock = try hold()
        defer { withExtendedLifetime(lock) {} }
        // Removes the remains of an interrupted backup.
        for left in try Directory.list(folder) where left.hasPrefix("furrow-") && left.hasSuffix(Self.unfinished) {
            try Directory.remove("\(folder)/\(left)")
        }
        var name = Self.name(at: made)
        var number = 1
        while File.exists("\(folder)/\(name)") {
            number += 1
            name = "\(Self.name(at: made))-\(number)"
        }
        let facts = "\(folder)/\(name)"
        let vault = facts + Self.vaultSuffix
        try checkRoom()
        do {
            for path in [facts, vault] {
                try Directory.create(path + Self.unfinished, mode: 0o700)
            }
            let (kept, shared) = try keepVerifiedFacts(in: facts + Self.unfinished, name)
            let secret = try keepVaults(in: vault + Self.unfinished, name)
            try BackupVerifier(vault + Self.unfinished).run()
            try File.move(vault + Self.unfinished, to: vault)
            try File.move(facts + Self.unfinished, to: facts)
            return Made(name: name, facts: kept, vault: secret, sharedBytes: shared)
        } catch {
            for path in [facts, vault] { try Directory.remove(path + Self.unfinished) }
            throw error
        }
    }

    /// Locks the folder for this backup.
    private func hold() throws -> FileLock {
        let lock: FileLock?
        do {
            try Directory.create(folder, mode: 0o700)
            lock = try FileLock(path: "\(folder)/\(Self.lock)")
        } catch {
            throw Refusal(
                "\(folder) cannot be written to (\(error)); give it to this user: chown -R \(Machine.userID) \(folder)")
        }
        guard let lock else { throw Refusal("Another backup is being made in \(folder); wait until it is done.") }
        return lock
    }

    /// Throws `Refusal` before anything is written if the disk is too small for a copy of everything.
    private func checkRoom() throws {
        // The database is in the home, or reports its own size.
        var needed = isDatabaseElsewhere ? UInt64(try HubReader(conninfo).databaseBytes()) : 0
        for home in homes {
            needed += try Directory.list(home).filter { $0 != "logs" && $0 != "backups" }
                .reduce(UInt64(0)) { $0 + Directory.usedBytes("\(home)/\($1)") }
        }
        if let earlier = EarlierBackup(newestIn: folder) {
            let shared = try immutableFiles().reduce(UInt64(0)) { sum, file in
                sum + (earlier.bytes(of: file.name) == file.bytes ? UInt64(file.bytes) : 0)
            }
            needed -= min(shared, needed)
        }
        let free = try DiskSpace(of: folder).free
        guard free > needed else {
            throw Refusal(
                "\(folder) has \(Amount.bytes(free)) left and a backup may need \(Amount.bytes(needed)); "
                    + "free some, or choose another disk with --to.")
        }
    }

    /// Returns the files of the homes that never change, with their sizes.
    private func immutableFiles() throws -> [(name: String, bytes: Int)] {
        let contents = try HomeContents(homes)
        return try (contents.segments + contents.media).flatMap { item in
            try Directory.list(item.path).filter { File.exists("\(item.path)/\($0)") }.map {
                ("\(item.name)/\($0)", try File.size("\(item.path)/\($0)"))
            }
        }
    }

    /// Copies the facts and reads them back, because a backup is valid only if it can be read. Returns the bytes shared
    /// with the backup before, too.
    ///
    /// If a file of that backup is damaged, all files are copied.
    private func keepVerifiedFacts(in target: String, _ name: String) throws -> (Manifest, sharedBytes: Int) {
        if let earlier = EarlierBackup(newestIn: folder) {
            let made = try keepAgreeingFacts(in: target, name, sharing: earlier)
            do {
                try BackupVerifier(target).run()
                return made
            } catch is Damage {
                try Directory.remove(target)
                try Directory.create(target, mode: 0o700)
            }
        }
        let made = try keepAgreeingFacts(in: target, name, sharing: nil)
        try BackupVerifier(target).run()
        return made
    }

    /// Copies the facts; repeats this if they disagree.
    ///
    /// A segment can be pruned after its journal was copied and before it is copied itself. That happens to a run once.
    private func keepAgreeingFacts(
        in target: String, _ name: String, sharing earlier: EarlierBackup?
    ) throws -> (Manifest, sharedBytes: Int) {
        var tries = 1
        while true {
            let (manifest, shared) = try keepFacts(in: target, name, sharing: earlier)
            let isWhole = try manifest.journals.allSatisfy { journal in
                try SQLiteReader(path: "\(target)/\(journal.file)").strangeSegment() == nil
            }
            if isWhole || tries == Self.triesMax { return (manifest, shared) }
            tries += 1
            try Directory.remove(target)
            try Directory.create(target, mode: 0o700)
        }
    }

    /// The number of attempts after which a disagreement counts as damage.
    private static let triesMax = 3

    private func keepFacts(
        in target: String, _ name: String, sharing earlier: EarlierBackup?
    ) throws -> (Manifest, sharedBytes: Int) {
        var shared = 0
        let contents = try HomeContents(homes)
        var journals: [(snapshot: JournalSnapshot, name: String)] = []
        let hub = try HubSnapshot(conninfo) {
            for item in contents.journals { journals.append((try JournalSnapshot(path: item.path), item.name)) }
        }
        for feed in hub.feeds {
            guard let own = journals.first(where: { $0.snapshot.head.feed == feed.feed })?.snapshot.head else {
                continue
            }
            guard feed.position <= own.position else {
                throw Refusal(
                    "The journal of \(feed.feed) ends at \(own.position), and the hub has it up to \(feed.position): "
                        + "part of it is lost. See: furrow audit")
            }
        }
        var manifest = Manifest(name: name, part: .facts, made: made)
        manifest.hub = Manifest.Hub(
            format: hub.format, origin: hub.origin, head: hub.head, start: hub.start, checkpoint: hub.checkpoint)
        for (snapshot, file) in journals {
            manifest.journals.append(Manifest.Journal(head: snapshot.head, file: file))
            try prepare(file, in: target)
            try snapshot.copy(to: "\(target)/\(file)")
            manifest.files.append(Manifest.Kept(path: file, sum: try FileSum(of: "\(target)/\(file)")))
        }
        // Segments are copied after the journals: what had left a journal by its copy is in a segment by now.
        for item in try HomeContents(homes).segments {
            let folder = SegmentDirectory(path: item.path)
            for file in try folder.names() {
                shared += try keep(
                    "\(item.path)/\(file)", as: "\(item.name)/\(file)", in: target, sharing: earlier, &manifest)
            }
        }
        try prepare(HubTableFiles.name(of: "", 0), in: target)
        for table in HubDump.tables {
            var writer = try HubTableFiles.Writer(table, in: target)
            try hub.copyOut(table) { piece in try writer.write(piece) }
            try writer.end()
            for file in writer.names { shared += try share(file, in: target, with: earlier, &manifest) }
        }
        // Media are copied after the facts that name them.
        for item in contents.media {
            for file in try Directory.list(item.path) where !file.contains(".") {
                shared += try keep(
                    "\(item.path)/\(file)", as: "\(item.name)/\(file)", in: target, sharing: earlier, &manifest)
            }
        }
        for item in contents.settings {
            _ = try keep(item.path, as: item.name, in: target, sharing: nil, &manifest)
        }
        try seal(manifest, in: target)
        return (manifest, shared)
    }

    /// Copies the vaults, after the journals.
    ///
    /// An account's record is written before the event that creates it, and removed before the event that erases it.
    private func keepVaults(in target: String, _ name: String) throws -> Manifest {
        var manifest = Manifest(name: name, part: .vault, made: made)
        for item in try HomeContents(homes).vaults {
            try prepare(item.name, in: target)
            try Vault.copy(item.path, to: "\(target)/\(item.name)")
            manifest.files.append(Manifest.Kept(path: item.name, sum: try FileSum(of: "\(target)/\(item.name)")))
        }
        try seal(manifest, in: target)
        return manifest
    }

    /// Copies a file, or links that of the backup before if it is the same. Returns the bytes that were linked.
    private func keep(
        _ path: String, as name: String, in target: String, sharing earlier: EarlierBackup?,
        _ manifest: inout Manifest
    ) throws -> Int {
        try prepare(name, in: target)
        if let earlier, try File.size(path) == earlier.bytes(of: name) {
            let sum = try FileSum(of: path)
            if earlier.link(name, sum, as: "\(target)/\(name)") {
                manifest.files.append(Manifest.Kept(path: name, sum: sum))
                return sum.bytes
            }
        }
        manifest.files.append(Manifest.Kept(path: name, sum: try FileCopy.copy(path, to: "\(target)/\(name)")))
        return 0
    }

    /// Replaces a written file by that of the backup before if it is the same. Returns the bytes that were linked.
    private func share(
        _ name: String, in target: String, with earlier: EarlierBackup?, _ manifest: inout Manifest
    ) throws -> Int {
        let path = "\(target)/\(name)"
        let sum = try FileSum(of: path)
        manifest.files.append(Manifest.Kept(path: name, sum: sum))
        let aside = path + Self.unfinished
        guard let earlier, earlier.link(name, sum, as: aside) else { return 0 }
        try File.move(aside, to: path)
        return sum.bytes
    }

    private func prepare(_ file: String, in target: String) throws {
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        if !folder.isEmpty { try Directory.create("\(target)/\(folder)", mode: 0o700) }
    }

    private func seal(_ manifest: Manifest, in target: String) throws {
        for folder in Set(manifest.files.map { $0.path.split(separator: "/").dropLast().joined(separator: "/") }) {
            try Directory.synchronize(folder.isEmpty ? target : "\(target)/\(folder)")
        }
        try File.writeAtomically("\(target)/\(Manifest.fileName)", manifest.text, mode: 0o600)
    }
}

/// Copies and syncs files, and returns their sums.
enum FileCopy {
    static func copy(_ path: String, to other: String) throws(SystemError) -> FileSum {
        let reader = try FileReader(path: path)
        let writer = try FileWriter(path: other)
        while case let block = try reader.read(FileSum.smallestBlockBytes), !block.isEmpty { try writer.write(block) }
        try writer.synchronize()
        return try FileSum(of: other)
    }
}
