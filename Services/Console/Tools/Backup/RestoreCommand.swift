import EventSourcing
import JSON
import System

/// `furrow restore`: checks every byte of a backup, then restores it into a home.
struct RestoreCommand {
    private let farmPaths: FarmPaths
    private var facts: String
    private var vault: String?
    private let hasNoVault: Bool
    private let repository: BackupRepository?
    private let checksOnly: Bool
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        let told = try arguments.value("--vault")
        hasNoVault = arguments.flag("--without-vault")
        checksOnly = arguments.flag("--check")
        isJSON = arguments.flag("--json")
        repository = try BackupRepository(&arguments, farmPaths)
        guard var set = arguments.word() else {
            throw Refusal("Name the backup: furrow restore SET --home DIR", isMisuse: true)
        }
        try arguments.end()
        while set.count > 1, set.hasSuffix("/") { set.removeLast() }
        facts = set
        vault = hasNoVault ? nil : told ?? set + BackupMaking.vaultSuffix
    }

    /// Whether SET is the name of a backup in the repository, and not a folder of this machine.
    private var isInRepository: Bool { repository != nil && !facts.contains("/") && !Directory.isDirectory(facts) }

    mutating func run() throws -> Int32 {
        if !checksOnly { try farmPaths.requireAllHomes(for: "restore SET") }
        guard let repository, isInRepository else { return try restore() }
        try DropPrivileges.ifNeeded(toMake: farmPaths)
        let folder = "\(farmPaths.home)/\(Restoring.fetched)"
        Terminal.complain("Fetching the backup from the repository …")
        facts = try repository.fetch(facts, withVault: !hasNoVault, to: folder)
        if !hasNoVault { vault = facts + BackupMaking.vaultSuffix }
        let status = try restore()
        try Directory.remove(folder)
        return status
    }

    private func restore() throws -> Int32 {
        let (facts, vault): (BackupVerifier, BackupVerifier?)
        do {
            try checkNames()
            facts = try check(self.facts, is: .facts)
            vault = try self.vault.map { try check($0, is: .vault) }
        } catch let fault as Fault {
            return refuse(fault)
        }
        if let vault, vault.manifest.name != facts.manifest.name {
            // The operator named the secrets explicitly, so they may be older or newer than the facts.
            Terminal.complain("Note: these are the secrets of another backup, \(vault.manifest.name).")
        }
        if checksOnly {
            report(facts.manifest, vault?.manifest, home: nil)
            return 0
        }
        try DropPrivileges.ifNeeded(toMake: farmPaths)
        try Restoring(farmPaths: farmPaths, facts: facts, vault: vault).run()
        report(facts.manifest, vault?.manifest, home: farmPaths.homes ?? farmPaths.home)
        return 0
    }

    /// A part of the backup that cannot be used, with the damage in it if it has a place.
    private struct Fault: Error {
        let folder: String
        let damage: Damage?
        let text: String
    }

    private func checkNames() throws {
        guard Directory.isDirectory(facts) else { throw Refusal("There is no backup \(facts).") }
        for folder in [facts] + (vault.map { [$0] } ?? []) where Directory.isDirectory(folder) {
            do { _ = try Directory.list(folder) } catch {
                throw Refusal(
                    "\(folder) cannot be read (\(error)); give it to this user: chown -R \(Machine.userID) \(folder)")
            }
        }
        if let vault, !Directory.isDirectory(vault) {
            throw Refusal(
                "The secrets of this backup are not at \(vault); name their folder with --vault DIR. They are retained for 30 days; "
                    + "--without-vault restores the facts only, and creates new accounts and keys.")
        }
    }

    private func check(_ folder: String, is part: Manifest.Part) throws -> BackupVerifier {
        do {
            let check = try BackupVerifier(folder)
            guard check.manifest.part == part else {
                throw Refusal(
                    "\(folder) has the \(check.manifest.part.rawValue) of a backup, not its \(part.rawValue).")
            }
            try check.run()
            return check
        } catch let damage as Damage {
            throw Fault(folder: folder, damage: damage, text: "\(damage)")
        } catch let refusal as Refusal where File.exists("\(folder)/\(Manifest.fileName)") {
            throw Fault(folder: folder, damage: nil, text: refusal.description)
        }
    }

    private func refuse(_ fault: Fault) -> Int32 {
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", false)
                json.field("set", fault.folder)
                json.field("file", ifPresent: fault.damage?.file)
                json.field("offset", ifPresent: fault.damage?.offset)
                json.field("problem", fault.damage?.what ?? fault.text)
            }
            Terminal.put(json.bytes + [10])
        }
        Terminal.complain(
            "The backup \(fault.folder) is damaged: \(fault.text).\n"
                + "Nothing was restored; \(farmPaths.homes ?? farmPaths.home) is unchanged. Use another copy of this backup, or an older one."
        )
        return 1
    }

    private func report(_ facts: Manifest, _ vault: Manifest?, home: String?) {
        let bytes = facts.bytes + (vault?.bytes ?? 0)
        let files = facts.files.count + (vault?.files.count ?? 0)
        guard !isJSON else {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", true)
                json.field("set", self.facts)
                json.field("made", facts.made)
                json.field("home", ifPresent: home)
                json.field("files", files)
                json.field("bytes", bytes)
                json.field("hub", facts.hub?.head.position ?? 0)
                json.field("vault", vault != nil)
            }
            Terminal.put(json.bytes + [10])
            return
        }
        Terminal.say("Checked: \(files) files, \(Amount.bytes(UInt64(bytes))), made \(facts.made).")
        guard let home else { return }
        Terminal.say(
            "Restored into \(home). Start it with: "
                + (farmPaths.isStack ? "docker compose up -d" : "deploy/up --home \(home)"))
        let sites = Set(facts.journals.compactMap { Origin($0.head.feed)?.site }).subtracting(["farm"])
        if let site = sites.first { Terminal.say("Its site is \(site): set FURROW_SITE=\(site) when you start it.") }
    }
}
