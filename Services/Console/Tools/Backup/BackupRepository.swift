import Crypto
import JSON
import System
import Vocabulary

/// A repository of restic: encrypted copies of backups on another disk, on another machine or in a cloud.
///
/// What copies have in common is stored once. Facts and secrets are separate snapshots with the tags `facts` and
/// `vault`, so that secrets are removed earlier.
struct BackupRepository {
    /// As restic has it: a folder, or `sftp:…`, `rest:…`, `s3:…`. It may contain a password, so it is never printed.
    private let address: String
    private let passwordFile: String
    /// A folder for restic's output, created and removed with each call.
    private let scratch: String

    private static let program = "/usr/bin/restic"
    private static let host = "furrow"
    private static let passwordBytes = 20
    private static let outputBytes = 64 << 20
    private static let smallBytes = 64 << 10
    /// The days for which secrets remain. They are younger than `BackupRetention.vaultDays` when they are removed.
    private static let vaultDays = 29
    /// A verification reads this fraction of the repository, so that a week of nights reads all of it.
    private static let fraction = 7

    /// Nil if neither the option nor `FURROW_BACKUP_REPOSITORY` names one.
    init?(_ arguments: inout Arguments, _ farmPaths: FarmPaths) throws {
        let environment = Machine.environment
        let named = try arguments.value("--repository")
        let file = try arguments.value("--password-file") ?? environment["FURROW_BACKUP_PASSWORD_FILE"]
        guard let address = named ?? environment["FURROW_BACKUP_REPOSITORY"], !address.isEmpty else { return nil }
        guard !farmPaths.isStack else {
            throw Refusal(
                "In containers there is no restic. Run it on the host, on the folder of backups: see the README.",
                isMisuse: true)
        }
        self.address = address
        passwordFile = file ?? "\(farmPaths.home)/backup-password"
        scratch = "\(farmPaths.home)/restic"
    }

    // MARK: Writing

    /// Creates the repository, and its password if there is none. Returns the password.
    func create() throws -> String {
        if !File.exists(passwordFile) {
            let letters = Array(BaseEncoding.base32.encode(Random.bytes(Self.passwordBytes)))
            let groups = stride(from: 0, to: letters.count, by: 4).map {
                String(letters[$0..<min($0 + 4, letters.count)])
            }
            try File.writeAtomically(passwordFile, Array((groups.joined(separator: "-") + "\n").utf8), mode: 0o600)
        }
        _ = try call(["init"])
        let password = String(decoding: try File.read(passwordFile, limit: Self.smallBytes), as: UTF8.self)
        return password.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Copies a backup, removes copies that have expired, and verifies the repository.
    ///
    /// - Parameter day: the number of the day, which chooses the part of the repository that is read.
    func copy(_ set: String, day: Int) throws {
        let (folder, name) = Self.split(set)
        // Removes only locks whose process is gone: a copy that was killed left one.
        _ = try call(["unlock"])
        try store(name, in: folder, as: "facts")
        try store(name + BackupMaking.vaultSuffix, in: folder, as: "vault")
        let group = ["--host", Self.host, "--group-by", "host"]
        _ = try call(
            ["forget", "--tag", "facts"] + group
                + ["--keep-daily", "14", "--keep-weekly", "8", "--keep-monthly", "12"])
        _ = try call(["forget", "--tag", "vault"] + group + ["--keep-within", "\(Self.vaultDays)d"])
        // All of it, because what remains of a removed snapshot may be secrets.
        _ = try call(["prune", "--max-unused", "0"])
        _ = try call(["check", "--read-data-subset", "\(day % Self.fraction + 1)/\(Self.fraction)"])
    }

    private func store(_ name: String, in folder: String, as tag: String) throws {
        _ = try call(["backup", "--quiet", "--tag", tag, "--host", Self.host, name], in: folder)
    }

    // MARK: Reading

    /// A backup in the repository.
    struct Copy: Equatable {
        let name: String
        let facts: String
        /// Nil if the secrets have expired.
        let vault: String?
    }

    /// Returns the backups in the repository, the oldest first.
    func copies() throws -> [Copy] {
        Self.copies(try JSONValue.parse(call(["snapshots", "--json"])).read())
    }

    /// A snapshot as restic lists it.
    struct Snapshot: JSONReadable {
        let id: String
        let paths: [String]

        init(json: borrowing JSONValue) throws(JSONError) {
            id = try json.get("id")
            paths = try json.get("paths")
        }
    }

    /// Returns the backups among restic's snapshots. A snapshot of other files is left out.
    static func copies(_ snapshots: [Snapshot]) -> [Copy] {
        var facts: [String: String] = [:]
        var vaults: [String: String] = [:]
        for snapshot in snapshots {
            let name = split(snapshot.paths.first ?? "").name
            guard BackupRetention.made(name) != nil else { continue }
            if name.hasSuffix(BackupMaking.vaultSuffix) {
                vaults[String(name.dropLast(BackupMaking.vaultSuffix.count))] = snapshot.id
            } else {
                facts[name] = snapshot.id
            }
        }
        return facts.keys.sorted().map { Copy(name: $0, facts: facts[$0] ?? "", vault: vaults[$0]) }
    }

    /// Fetches a backup into a folder and returns its path there.
    ///
    /// - Parameter name: the name of the backup, or `latest`.
    func fetch(_ name: String, withVault: Bool, to folder: String) throws -> String {
        let all = try copies()
        guard let copy = name == "latest" ? all.last : all.first(where: { $0.name == name }) else {
            throw Refusal(
                all.isEmpty
                    ? "The repository contains no backup."
                    : "The repository contains no backup \(name); the newest is \(all.last?.name ?? "").")
        }
        try Directory.remove(folder)
        try Directory.create(folder, mode: 0o700)
        for id in [copy.facts] + (withVault ? [copy.vault].compactMap(\.self) : []) {
            _ = try call(["restore", id, "--target", folder])
        }
        return "\(folder)/\(copy.name)"
    }

    // MARK: restic

    private static func split(_ path: String) -> (folder: String, name: String) {
        let parts = path.split(separator: "/").map(String.init)
        return ("/" + parts.dropLast().joined(separator: "/"), parts.last ?? "")
    }

    /// Calls restic and returns its output.
    private func call(_ arguments: [String], in folder: String? = nil) throws -> [UInt8] {
        guard File.exists(Self.program) else {
            throw Refusal("The repository needs restic, which is not installed: apt-get install restic")
        }
        guard File.exists(passwordFile) else {
            throw Refusal(
                "The password of the repository is not in \(passwordFile); write it there, or name its file with "
                    + "--password-file.")
        }
        try Directory.remove(scratch)
        try Directory.create(scratch, mode: 0o700)
        let (output, complaints) = ("\(scratch)/output", "\(scratch)/errors")
        var environment = Machine.environment
        environment["RESTIC_REPOSITORY"] = address
        environment["RESTIC_PASSWORD_FILE"] = passwordFile
        var command = Process.Command(Self.program, ["--no-cache"] + arguments, environment: environment)
        command.workingDirectory = folder
        command.output = .file(output)
        command.error = .file(complaints)
        let process = try Process(command)
        var status: Process.ExitStatus?
        // The first copy of a large farm may take hours over a slow line.
        while status == nil { status = try process.wait(milliseconds: 1000) }
        let said = File.exists(complaints) ? try File.readEnd(complaints, limit: Self.smallBytes) : []
        let result = File.exists(output) ? try File.read(output, limit: Self.outputBytes) : []
        try Directory.remove(scratch)
        guard status == .exited(0) else {
            throw Refusal(Self.sentence(String(decoding: said, as: UTF8.self), arguments.first ?? "", without: address))
        }
        return result
    }

    /// Returns restic's complaint as one line, without the repository's address, which may contain a password.
    static func sentence(_ text: String, _ action: String, without address: String) -> String {
        let lines = text.split(separator: "\n").map { $0.replacing(address, with: "(the repository)") }
        let fatal = lines.first { $0.hasPrefix("Fatal: ") }.map { $0.dropFirst("Fatal: ".count) }
        let said = fatal.map(String.init) ?? lines.last.map(String.init) ?? "no reason given"
        return "restic \(action) failed: \(said)."
    }
}
