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
    /// The addresses of the standby and of a third machine, if the three are to vote; otherwise empty.
    let others: [String]

    func run() throws {
        for one in [address] + others where !LocalAuthority.isAddress(one) && !LocalAuthority.isName(one) {
            throw Refusal("\(one) is no address: give it in numbers, or as a name.", isMisuse: true)
        }
        try checkVotes()
        if let settings = try farmPaths.standbySettings, settings.role == .standby {
            throw Refusal("\(farmPaths.pair) is a standby itself; promote it first: furrow promote")
        }
        let password = Hex.encode(Random.bytes(24))
        let settings = StandbySettings(
            role: .primary, address: address, port: port, password: password, isSynchronous: isSynchronous,
            votes: others.isEmpty ? [] : [address] + others)
        let now = AdjustableClock.machine.microseconds / 1_000_000
        let authority = try LocalAuthority.create(
            name: "Furrow standby", now: now, names: settings.votes.filter(LocalAuthority.isName),
            addresses: settings.votes.filter(LocalAuthority.isAddress))
        let certificate = authority.certificate.pem
        let key = try authority.key.pem()
        let folder = StandbyFolder(farmPaths)
        try folder.write(authority: certificate, key: key)
        for old in [folder.certificate, folder.key, folder.armed] where File.exists(old) { try File.remove(old) }
        if File.exists(folder.votes) { try Directory.remove(folder.votes) }
        try folder.renewCertificate(settings)
        if farmPaths.isStack { try folder.writeForContainer(password: password) }
        try settings.write(to: farmPaths.pair)
        try StandbyInvitation(
            settings: settings, authority: certificate, key: key,
            databasePassword: farmPaths.isStack ? try Self.password(in: farmPaths.runningDatabase) : nil
        ).write(invitation)
        guard !others.isEmpty else { return }
        var third = settings
        (third.role, third.password) = (.vote, "")
        try StandbyInvitation(settings: third, authority: certificate, key: key).write(invitation + Self.voteSuffix)
    }

    /// What the name of the third machine's invitation has at its end.
    static let voteSuffix = ".vote"

    private func checkVotes() throws {
        guard !others.isEmpty else { return }
        guard others.count == 2, Set(others + [address]).count == 3 else {
            throw Refusal(
                "--votes wants two other machines: the standby's address and a third one's, with a comma between them.",
                isMisuse: true)
        }
        guard !farmPaths.isStack else {
            throw Refusal("In containers, a person decides about a promotion: three machines cannot vote there yet.")
        }
        try EtcdServer.checkInstalled()
    }

    /// Returns the password in a connection string that `furrow init` has written.
    private static func password(in conninfo: String) throws -> String {
        let prefix = "password="
        guard let word = conninfo.split(separator: " ").first(where: { $0.hasPrefix(prefix) }) else {
            throw Refusal("FURROW_POSTGRES_FILE contains no password; run this in the container operator.")
        }
        return String(word.dropFirst(prefix.utf8.count))
    }
}

/// `furrow standby join`: makes this machine the standby of a farm server.
struct StandbyJoin {
    let farmPaths: FarmPaths
    let invitation: StandbyInvitation
    /// The address at which the primary reaches this machine.
    let address: String

    func run() throws {
        try Directory.create(farmPaths.pair, mode: 0o700)
        guard let lock = try FileLock(path: "\(farmPaths.pair)/\(HomeContents.lock)") else {
            throw Refusal("A farm server or a standby is running in \(farmPaths.pair).")
        }
        defer { withExtendedLifetime(lock) {} }
        try checkPlace()
        var settings = invitation.settings
        if settings.role == .primary { settings.role = .standby }
        (settings.peer, settings.address) = (settings.address, address)
        guard settings.votes.isEmpty || settings.votes.dropFirst().contains(address) else {
            throw Refusal("\(address) is none of the machines that vote: \(settings.votes.joined(separator: ", ")).")
        }
        if !settings.votes.isEmpty { try EtcdServer.checkInstalled() }
        let folder = StandbyFolder(farmPaths)
        try folder.write(authority: invitation.authority, key: invitation.key)
        try folder.renewCertificate(settings)
        guard settings.role == .standby else { return try settings.write(to: farmPaths.pair) }
        let key = X25519Key.generate()
        try File.writeAtomically(folder.receivingKey, key.scalar, mode: 0o600)
        let primary = folder.conninfo(to: invitation.settings.address, settings, seconds: 10)
        try enter(key.publicKey, primary)
        if let password = invitation.databasePassword {
            // Its own container copies the database when it starts.
            try InitCommand.writeDatabasePassword(password)
            try folder.writeForContainer(password: settings.password, follow: primary)
            if let published = farmPaths.published { try PairGate(folder: published).write(.standby) }
        } else {
            try copyDatabase(from: primary)
        }
        try settings.write(to: farmPaths.pair)
    }

    /// Throws `Refusal` unless this machine can become a standby of that one and holds no farm.
    private func checkPlace() throws {
        guard (invitation.databasePassword != nil) == farmPaths.isStack else {
            throw Refusal(
                "Both machines have to run the farm in the same way: "
                    + (farmPaths.isStack
                        ? "the farm server does not run in containers." : "the farm server runs in containers."))
        }
        let left = try HomeContents.names(in: farmPaths.pair).filter {
            ![HomeContents.lock, "standby", "postgres.new", "logs"].contains($0)
        }
        let isUsed = try farmPaths.isStack && !HomeContents(farmPaths.allHomes).journals.isEmpty
        guard left.isEmpty, !isUsed else {
            throw Refusal(
                farmPaths.isStack
                    ? "This project has data already; join with a project that has none: another COMPOSE_PROJECT_NAME."
                    : "\(farmPaths.home) is not empty; join with a new home, or first move its content away.")
        }
    }

    /// Enters this machine as the standby, and creates the slot that retains what it has not received.
    private func enter(_ key: [UInt8], _ primary: String) throws {
        do throws(PostgresError) {
            let connection = try Connection(primary)
            try connection.run(
                """
                INSERT INTO standby.member(key, address) VALUES ($1, $2)
                ON CONFLICT (one) DO UPDATE SET key = excluded.key, address = excluded.address, joined = now()
                """, [.bytes(key), .text(address)])
            // The slot of an earlier standby is at another position.
            let slot = StandbySettings.slot
            try connection.execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                    + "WHERE slot_name = '\(slot)' AND NOT active")
            try connection.execute("SELECT pg_create_physical_replication_slot('\(slot)', true)")
        } catch {
            throw Refusal(
                "The farm server at \(invitation.settings.address):\(invitation.settings.port) cannot be reached "
                    + "(\(error.message)). It has to run, restarted after furrow standby allow, and its firewall has to let "
                    + "this machine in.")
        }
    }

    /// Copies the primary's database, and makes it one that goes on receiving.
    private func copyDatabase(from primary: String) throws {
        try Directory.create(farmPaths.logs, mode: 0o700)
        let aside = farmPaths.postgres + ".new"
        if File.exists(aside) { try Directory.remove(aside) }
        var command = Process.Command(
            "\(PrivatePostgres.programs)/pg_basebackup",
            [
                "--dbname=\(primary)", "--pgdata=\(aside)", "--write-recovery-conf", "--wal-method=stream",
                "--slot=\(StandbySettings.slot)", "--checkpoint=fast",
            ], environment: Machine.environment)
        command.output = .file("\(farmPaths.logs)/join.log")
        command.error = .file("\(farmPaths.logs)/join.log")
        command.workingDirectory = "/"
        let status = try Process(command).wait(milliseconds: Self.copyMilliseconds)
        guard status == .exited(0) else {
            let said = String(decoding: try File.readEnd("\(farmPaths.logs)/join.log", limit: 400), as: UTF8.self)
            throw Refusal("The database could not be copied: \(said)")
        }
        try File.move(aside, to: farmPaths.postgres)
    }

    /// Six hours: the first copy of a large farm over a slow line.
    private static let copyMilliseconds = 21_600_000
}
