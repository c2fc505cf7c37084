import Crypto
import Glibc
import Host
import JSON
import Postgres
import System
import Vocabulary

/// `furrow standby allow`: lets a second machine receive all of this farm's data.
struct StandbyAllow {
    let farmPaths: FarmPaths
    let address: String
    let port: Int
    let invitation: String
    let isSynchronous: Bool

    func run() throws {
        guard LocalAuthority.isAddress(address) || LocalAuthority.isName(address) else {
            throw Refusal("--address wants the address of this machine in numbers, or its name, not \(address).")
        }
        if let settings = try StandbySettings(of: farmPaths.home), settings.role == .standby {
            throw Refusal("\(farmPaths.home) is a standby itself; promote it first: furrow promote")
        }
        let password = Hex.encode(Random.bytes(24))
        let settings = StandbySettings(
            role: .primary, address: address, port: port, password: password, isSynchronous: isSynchronous)
        let now = AdjustableClock.machine.microseconds / 1_000_000
        let authority = try LocalAuthority.create(name: "Furrow standby", now: now)
        let certificate = authority.certificate.pem
        let key = try authority.key.pem()
        let folder = StandbyFolder(of: farmPaths.home)
        try folder.write(authority: certificate, key: key)
        for old in [folder.certificate, folder.key] where File.exists(old) { try File.remove(old) }
        try folder.renewCertificate()
        try settings.write(to: farmPaths.home)
        try StandbyInvitation(settings: settings, authority: certificate, key: key).write(invitation)
    }
}

/// `furrow standby join`: makes this machine the standby of a farm server.
struct StandbyJoin {
    let farmPaths: FarmPaths
    let invitation: StandbyInvitation
    /// The address at which the primary reaches this machine.
    let address: String

    func run() throws {
        let home = farmPaths.home
        try Directory.create(home, mode: 0o700)
        guard let lock = try FileLock(path: "\(home)/lock") else {
            throw Refusal("A farm server or a standby is running in \(home).")
        }
        defer { withExtendedLifetime(lock) {} }
        let left = try HomeContents.names(in: home).filter {
            !["lock", "standby", "postgres.new", "logs"].contains($0)
        }
        guard left.isEmpty else {
            throw Refusal("\(home) is not empty; join with a new home, or first move its content away.")
        }
        var settings = invitation.settings
        (settings.role, settings.peer, settings.address) = (.standby, settings.address, address)
        let folder = StandbyFolder(of: home)
        try folder.write(authority: invitation.authority, key: invitation.key)
        try folder.renewCertificate()
        let key = X25519Key.generate()
        try File.writeAtomically(folder.receivingKey, key.scalar, mode: 0o600)
        let primary = invitation.settings.address
        do throws(PostgresError) {
            let connection = try Connection(folder.conninfo(to: primary, settings, seconds: 10))
            try connection.run(
                """
                INSERT INTO standby.member(key, address) VALUES ($1, $2)
                ON CONFLICT (one) DO UPDATE SET key = excluded.key, address = excluded.address, joined = now()
                """, [.bytes(key.publicKey), .text(address)])
        } catch {
            throw Refusal(
                "The farm server at \(primary):\(settings.port) cannot be reached (\(error.message)). It has to run, "
                    + "restarted after furrow standby allow, and its firewall has to let this machine in.")
        }
        try copyDatabase(folder, settings, from: primary)
        try settings.write(to: home)
    }

    /// Copies the primary's database, and makes it one that goes on receiving.
    private func copyDatabase(_ folder: StandbyFolder, _ settings: StandbySettings, from primary: String) throws {
        try Directory.create(farmPaths.logs, mode: 0o700)
        let aside = farmPaths.postgres + ".new"
        if File.exists(aside) { try Directory.remove(aside) }
        var command = Process.Command(
            "\(PrivatePostgres.programs)/pg_basebackup",
            [
                "--dbname=\(folder.conninfo(to: primary, settings, seconds: 10))", "--pgdata=\(aside)",
                "--write-recovery-conf",
                "--wal-method=stream", "--create-slot", "--slot=\(StandbySettings.slot)", "--checkpoint=fast",
            ], environment: Machine.environment)
        command.output = .file("\(farmPaths.logs)/join.log")
        command.error = .file("\(farmPaths.logs)/join.log")
        command.workingDirectory = "/"
        try dropSlot(folder, settings, at: primary)
        let status = try Process(command).wait(milliseconds: Self.copyMilliseconds)
        guard status == .exited(0) else {
            let said = String(decoding: try File.readEnd("\(farmPaths.logs)/join.log", limit: 400), as: UTF8.self)
            throw Refusal("The database could not be copied: \(said)")
        }
        try File.move(aside, to: farmPaths.postgres)
    }

    /// Removes the slot of an earlier standby, which would not be created again.
    private func dropSlot(_ folder: StandbyFolder, _ settings: StandbySettings, at primary: String) throws {
        let connection = try Connection(folder.conninfo(to: primary, settings, seconds: 10))
        try connection.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                + "WHERE slot_name = '\(StandbySettings.slot)' AND NOT active")
    }

    /// Six hours: the first copy of a large farm over a slow line.
    private static let copyMilliseconds = 21_600_000
}
