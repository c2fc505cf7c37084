import Crypto
import Host
import JSON
import System
import Vocabulary

/// How a home belongs to a pair of machines: the farm server, and a standby that has its data (`standby.json`).
struct StandbySettings: Equatable {
    enum Role: String {
        /// It runs the farm, and sends its data to a standby.
        case primary
        /// It receives the data, and can be promoted.
        case standby
        /// It has no data, and votes which of the other two runs the farm.
        case vote
    }

    var role: Role
    /// The address at which the other machine reaches this one, and the port of both databases.
    var address: String
    var port: Int
    /// The address of the other machine; nil until it has joined.
    var peer: String?
    /// The password by which the machines sign in at each other's database.
    var password: String
    /// Whether an event is acknowledged only when the standby has it, while one is connected.
    var isSynchronous: Bool
    /// The addresses of the three machines that vote which one runs the farm; empty if a person decides.
    var votes: [String]

    /// The port on which the machines vote.
    var votePort: Int { port + 1 }

    static let fileName = "standby.json"
    static let user = "furrow_standby"
    /// The slot at the primary that retains what the standby has not received yet.
    static let slot = "furrow_standby"

    init(
        role: Role, address: String, port: Int, peer: String? = nil, password: String, isSynchronous: Bool = false,
        votes: [String] = []
    ) {
        self.role = role
        self.address = address
        self.port = port
        self.peer = peer
        self.password = password
        self.isSynchronous = isSynchronous
        self.votes = votes
    }

    /// Reads the settings of a home; nil if it belongs to no pair.
    init?(of home: String) throws {
        let path = "\(home)/\(Self.fileName)"
        guard File.exists(path) else { return nil }
        let json = try JSONValue.parse(try File.read(path, limit: 65_536))
        guard let role = Role(rawValue: try json.get("role")) else {
            throw Refusal("\(path) names a role that this build does not know; update it.")
        }
        self.init(
            role: role, address: try json.get("address"), port: try json.get("port"), peer: try json.find("peer"),
            password: try json.get("password"), isSynchronous: try json.find("synchronous") ?? false,
            votes: try json.find("votes") ?? [])
    }

    func write(to home: String) throws {
        var json = JSONWriter()
        json.object { json in
            json.field("role", role.rawValue)
            json.field("address", address)
            json.field("port", port)
            json.field("peer", ifPresent: peer)
            json.field("password", password)
            json.field("synchronous", isSynchronous)
            json.field("votes", votes)
        }
        try File.writeAtomically("\(home)/\(Self.fileName)", json.bytes, mode: 0o600)
    }
}

/// The files of a pair, in the folder `standby` beside its settings.
struct StandbyFolder {
    let path: String
    /// Where the state and the fence are, which are no secrets.
    private let published: String
    /// Whether Postgres runs as another user, of the same group, in a container of its own.
    private let isStack: Bool

    init(_ farmPaths: FarmPaths) {
        path = "\(farmPaths.pair)/standby"
        published = farmPaths.published ?? path
        isStack = farmPaths.isStack
    }

    private var fileMode: UInt32 { isStack ? 0o640 : 0o600 }

    /// The authority of the pair, which both machines trust and nothing else, and its key.
    var authority: String { "\(path)/authority.pem" }
    var authorityKey: String { "\(path)/authority.key" }
    /// The certificate of the database, and its key.
    var certificate: String { "\(path)/server.pem" }
    var key: String { "\(path)/server.key" }
    /// Who may sign in at the database.
    var accessRules: String { "\(path)/pg_hba.conf" }
    /// The key with which a standby decrypts what is no part of the database.
    var receivingKey: String { "\(path)/receiving-key" }
    /// The last state that the process wrote that sends or receives.
    var state: String { "\(published)/\(isStack ? "standby-" : "")state.json" }
    /// What the machine's member of etcd stores, and that the machines have voted once.
    var votes: String { "\(path)/votes" }
    var armed: String { "\(path)/armed" }
    /// What the process of the vote wrote last.
    var voteState: String { "\(path)/vote.json" }
    /// Why this machine may not run the farm any more.
    var fence: String { "\(published)/\(isStack ? "standby-" : "")fenced.json" }
    /// For the container of Postgres (`deploy/postgres/start`): the password of the pair, and on a machine that has
    /// joined, how the other database is reached that is to be copied.
    var password: String { "\(path)/password" }
    var follow: String { "\(path)/follow" }

    /// Writes what the database needs to be reached from the other machine.
    func write(authority: String, key: String) throws {
        try Directory.create(path, mode: isStack ? 0o750 : 0o700)
        try File.writeAtomically(self.authority, Array(authority.utf8), mode: fileMode)
        try File.writeAtomically(authorityKey, Array(key.utf8), mode: 0o600)
        let user = StandbySettings.user
        let own =
            isStack
            ? ["local furrow furrow scram-sha-256", "host furrow,furrow_restore_test furrow samenet scram-sha-256"]
            : ["local all all trust"]
        let rules =
            own + [
                "hostssl replication \(user) all scram-sha-256",
                "hostssl furrow \(user) all scram-sha-256",
            ]
        try File.writeAtomically(accessRules, Array((rules.joined(separator: "\n") + "\n").utf8), mode: fileMode)
    }

    /// Writes what the container of Postgres reads. `follow` is how the other database is reached, if it is copied.
    func writeForContainer(password: String, follow: String? = nil) throws {
        try File.writeAtomically(self.password, Array("\(password)\n".utf8), mode: fileMode)
        if let follow { try File.writeAtomically(self.follow, Array("\(follow)\n".utf8), mode: fileMode) }
    }

    /// Issues the certificate of this machine if there is none, or it expires within half a year. Returns whether it is
    /// new.
    ///
    /// The databases of a pair trust its authority only, and compare no names. etcd compares the address.
    @discardableResult
    func renewCertificate(_ settings: StandbySettings) throws -> Bool {
        let now = AdjustableClock.machine.microseconds / 1_000_000
        func read(_ path: String) throws -> String {
            String(decoding: try File.read(path, limit: CryptoLimits.documentBytes), as: UTF8.self)
        }
        if File.exists(certificate), File.exists(key),
            try Certificate(pem: read(certificate)).expiry - now > Self.renewalSeconds
        {
            return false
        }
        let authority = try LocalAuthority(certificatePEM: read(authority), keyPEM: read(authorityKey))
        let own = settings.votes.isEmpty ? [] : [settings.address]
        let server = try authority.issue(
            names: ["furrow-standby.local"] + own.filter { !LocalAuthority.isAddress($0) },
            addresses: own.filter(LocalAuthority.isAddress), now: now, isClient: true)
        try File.writeAtomically(key, Array(try server.keyPEM().utf8), mode: fileMode)
        try File.writeAtomically(certificate, Array(server.chainPEM.utf8), mode: fileMode)
        return true
    }

    private static let renewalSeconds: Int64 = 183 * 86_400

    /// Returns the options with which a database of a pair runs.
    func options(_ settings: StandbySettings) -> [String] {
        [
            "-c", "listen_addresses=\(settings.address)", "-c", "port=\(settings.port)", "-c", "ssl=on",
            "-c", "ssl_cert_file=\(certificate)", "-c", "ssl_key_file=\(key)", "-c", "hba_file=\(accessRules)",
            "-c", "max_wal_senders=4", "-c", "max_replication_slots=4", "-c", "hot_standby=on",
            // A standby that is away for long must not fill the disk of the farm: it is then set up again.
            "-c", "max_slot_wal_keep_size=4GB",
        ]
    }

    /// Returns how one machine signs in at the database of the other: over TLS, with the certificate of the pair only.
    func conninfo(to address: String, _ settings: StandbySettings, seconds: Int = 3) -> String {
        "host=\(address) port=\(settings.port) user=\(StandbySettings.user) password=\(settings.password) "
            + "dbname=furrow sslmode=verify-ca sslrootcert=\(authority) connect_timeout=\(seconds) "
            + "application_name=\(StandbySettings.slot)"
    }
}
