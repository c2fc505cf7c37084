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

    static let fileName = "standby.json"
    static let user = "furrow_standby"
    /// The slot at the primary that retains what the standby has not received yet.
    static let slot = "furrow_standby"

    init(
        role: Role, address: String, port: Int, peer: String? = nil, password: String, isSynchronous: Bool = false
    ) {
        self.role = role
        self.address = address
        self.port = port
        self.peer = peer
        self.password = password
        self.isSynchronous = isSynchronous
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
            password: try json.get("password"), isSynchronous: try json.find("synchronous") ?? false)
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
        }
        try File.writeAtomically("\(home)/\(Self.fileName)", json.bytes, mode: 0o600)
    }
}

/// The files of a pair in a home, below `standby`.
struct StandbyFolder {
    let path: String

    init(of home: String) { path = "\(home)/standby" }

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
    var state: String { "\(path)/state.json" }
    /// Why this machine may not run the farm any more.
    var fence: String { "\(path)/fenced.json" }

    /// Writes what the database needs to be reached from the other machine.
    func write(authority: String, key: String) throws {
        try Directory.create(path, mode: 0o700)
        try File.writeAtomically(self.authority, Array(authority.utf8), mode: 0o600)
        try File.writeAtomically(authorityKey, Array(key.utf8), mode: 0o600)
        let user = StandbySettings.user
        let rules = [
            "local all all trust",
            "hostssl replication \(user) all scram-sha-256",
            "hostssl furrow \(user) all scram-sha-256",
        ]
        try File.writeAtomically(accessRules, Array((rules.joined(separator: "\n") + "\n").utf8), mode: 0o600)
    }

    /// Issues the database's certificate if there is none, or it expires within half a year. Returns whether it is new.
    @discardableResult
    func renewCertificate() throws -> Bool {
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
        // The other machine trusts this authority only, and does not check names.
        let server = try authority.issue(names: ["furrow-standby.local"], addresses: [], now: now)
        try File.writeAtomically(key, Array(try server.keyPEM().utf8), mode: 0o600)
        try File.writeAtomically(certificate, Array(server.chainPEM.utf8), mode: 0o600)
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
