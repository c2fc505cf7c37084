import Crypto
import EventSourcing
import EventStore
import Events
import JSON
import Vault
import Vocabulary

/// The accounts and sessions of staff and buyers. They are stored in the vault only, never in the journal.
struct Accounts {
    private enum Kind {
        static let account = "account"
        static let session = "session"
        /// Buyers are stored apart, so that listing the staff does not depend on their number.
        static let buyer = "buyer"
        static let buyerSession = "buyer-session"
        static let setup = "setup"
        /// A link that resets a password; at most one per person.
        static let reset = "reset"
    }

    private static let setupID = "link"

    private let vault: Vault

    init(_ vault: Vault) {
        self.vault = vault
    }

    /// Returns the SHA-256 of a token in hex. Only this is stored of a token.
    static func fingerprint(_ token: String) -> String {
        Hex.encode(SHA256.hash(Array(token.utf8)))
    }

    // MARK: Accounts

    func account(of person: PersonID) throws(VaultError) -> Account? {
        if let fields = try vault.get(kind: Kind.account, id: person.rawValue) { return try read(fields) }
        return try vault.get(kind: Kind.buyer, id: person.rawValue).map(read)
    }

    /// Returns the name of the person who did something; nil if it was not a person, or if it cannot be read now.
    func name(of actor: Actor) -> String? {
        guard let person = actor.person else { return nil }
        do throws(VaultError) {
            return try account(of: person)?.name
        } catch {
            return nil
        }
    }

    func account(email: String) throws(VaultError) -> Account? {
        for kind in [Kind.account, Kind.buyer] {
            if let record = try vault.find(kind: kind, lookUp: email) { return try read(record.fields) }
        }
        return nil
    }

    /// Returns the accounts of the staff after the person `after`, ordered by person.
    func all(after: String = "") throws(VaultError) -> [Account] {
        try vault.all(kind: Kind.account, after: after).map { record throws(VaultError) in try read(record.fields) }
    }

    func keep(_ account: Account) throws(VaultError) {
        try vault.put(
            kind: account.role == .buyer ? Kind.buyer : Kind.account, id: account.person.rawValue,
            fields: bytes(account), lookUp: account.email, person: account.person)
    }

    /// Calls `body` with every buyer's account. The vault is read page by page.
    func eachBuyer(_ body: (Account) -> Void) throws(VaultError) {
        var after = ""
        while true {
            let page = try vault.all(kind: Kind.buyer, after: after)
            for record in page { body(try read(record.fields)) }
            guard let last = page.last else { return }
            after = last.id
        }
    }

    var administrators: Int {
        get throws(VaultError) { try all().count { $0.role == .administrator } }
    }

    /// Erases a person: the account, the sessions and the person's key.
    func erase(_ person: PersonID) throws(VaultError) {
        try vault.erase(person: person)
    }

    func isErased(_ person: PersonID) throws(VaultError) -> Bool {
        try vault.isErased(person)
    }

    // MARK: Sessions

    /// Opens a session for the account. At `GatewayLimits.sessionsOfPerson`, the person's least recently used session
    /// is closed, and its id is returned.
    func open(_ token: String, _ session: Session, for account: Account) throws(VaultError) -> String? {
        let own = try sessions(of: account.person)
        var replaced: String?
        if own.count >= GatewayLimits.sessionsOfPerson {
            replaced = own.min { ($0.session.lastUsed, $0.id) < ($1.session.lastUsed, $1.id) }?.id
            if let replaced { try close(replaced) }
        }
        let kind = account.role == .buyer ? Kind.buyerSession : Kind.session
        try vault.put(kind: kind, id: Self.fingerprint(token), fields: bytes(session), person: account.person)
        return replaced
    }

    /// Returns the caller of a session token, or nil if the token is unknown or expired. Using a session prolongs it.
    func caller(_ token: String, at now: Instant) throws(VaultError) -> Caller? {
        let id = Self.fingerprint(token)
        for kind in [Kind.session, Kind.buyerSession] {
            guard let fields = try vault.get(kind: kind, id: id) else { continue }
            var session: Session = try read(fields)
            guard now < session.expires, let account = try account(of: session.person) else { return nil }
            if session.expires.seconds(since: now) < GatewayLimits.sessionSeconds - GatewayLimits.renewalSeconds {
                session.expires = now.advanced(bySeconds: GatewayLimits.sessionSeconds)
                session.used = now
                try vault.put(kind: kind, id: id, fields: bytes(session), person: session.person)
            }
            return account.caller(in: id)
        }
        return nil
    }

    func close(_ session: String) throws(VaultError) {
        for kind in [Kind.session, Kind.buyerSession] { try vault.delete(kind: kind, id: session) }
    }

    /// Returns the sessions of one person.
    func sessions(of person: PersonID) throws(VaultError) -> [(id: String, session: Session)] {
        var own: [(id: String, session: Session)] = []
        for kind in [Kind.session, Kind.buyerSession] {
            for record in try vault.all(kind: kind, of: person) { own.append((record.id, try read(record.fields))) }
        }
        return own
    }

    /// Deletes expired sessions and an expired set-up link.
    func clean(at now: Instant) throws(VaultError) {
        for kind in [Kind.session, Kind.buyerSession] {
            var after = ""
            while true {
                let page = try vault.all(kind: kind, after: after)
                for record in page {
                    let session: Session = try read(record.fields)
                    if session.expires <= now { try close(record.id) }
                }
                guard let last = page.last else { break }
                after = last.id
            }
        }
        if let link = try setupLink(), link.expires <= now { try vault.delete(kind: Kind.setup, id: Self.setupID) }
    }

    // MARK: Resetting a password

    /// Stores a new reset link for the person; it replaces an older one. Only a hash of its token is stored.
    func makeReset(_ token: String, for person: PersonID, until expires: Instant) throws(VaultError) {
        let fingerprint = Self.fingerprint(token)
        let link = SetupLink(fingerprint: fingerprint, expires: expires)
        try vault.put(
            kind: Kind.reset, id: person.rawValue, fields: bytes(link), lookUp: fingerprint, person: person)
    }

    /// Returns the person whose password the token resets, or nil if the token is unknown or expired.
    func personOfReset(_ token: String, at now: Instant) throws(VaultError) -> PersonID? {
        guard let record = try vault.find(kind: Kind.reset, lookUp: Self.fingerprint(token)) else { return nil }
        let link: SetupLink = try read(record.fields)
        return link.expires > now ? PersonID(record.id) : nil
    }

    @discardableResult
    func dropReset(of person: PersonID) throws(VaultError) -> Bool {
        try vault.delete(kind: Kind.reset, id: person.rawValue)
    }

    // MARK: The first administrator

    /// Stores a new set-up link; it replaces an older one.
    func makeLink(_ token: String, until expires: Instant) throws(VaultError) {
        let link = SetupLink(fingerprint: Self.fingerprint(token), expires: expires)
        try vault.put(kind: Kind.setup, id: Self.setupID, fields: bytes(link))
    }

    /// Consumes the set-up link. Returns false if the token does not match, the link has expired or was used, or an
    /// administrator exists.
    func takeLink(_ token: String, at now: Instant) throws(VaultError) -> Bool {
        guard let link = try setupLink(), link.expires > now,
            constantTimeEqual(Array(link.fingerprint.utf8), Array(Self.fingerprint(token).utf8)),
            try administrators == 0
        else { return false }
        return try vault.delete(kind: Kind.setup, id: Self.setupID)
    }

    private func setupLink() throws(VaultError) -> SetupLink? {
        try vault.get(kind: Kind.setup, id: Self.setupID).map(read)
    }

    // MARK: Records

    private func read<Value: JSONReadable>(_ fields: [UInt8]) throws(VaultError) -> Value {
        do throws(JSONError) {
            return try Value(json: JSONValue.parse(fields))
        } catch {
            throw .unreadable
        }
    }

    private func bytes(_ value: some JSONWritable) -> [UInt8] {
        var json = JSONWriter()
        value.write(to: &json)
        return json.bytes
    }
}
