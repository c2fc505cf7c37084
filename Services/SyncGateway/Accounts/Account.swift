import Events
import JSON
import Vocabulary

/// Who somebody is, as the vault keeps it.
struct Account: Sendable, Equatable, JSONReadable, JSONWritable {
    let person: PersonID
    let name: String
    /// In lower case.
    let email: String
    let role: Role
    /// argon2id, encoded.
    var hash: String
    let since: Instant
    /// The fingerprint of the key that a buyer signed up under: repeated with it, it is the same account.
    var signUp: String?

    init(
        person: PersonID, name: String, email: String, role: Role, hash: String, since: Instant, signUp: String? = nil
    ) {
        self.person = person
        self.name = name
        self.email = email
        self.role = role
        self.hash = hash
        self.since = since
        self.signUp = signUp
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        person = try json.get("person")
        name = try json.get("name")
        email = try json.get("email")
        role = try json.get("role")
        hash = try json.get("hash")
        since = try json.get("since")
        signUp = try json.find("signUp")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("person", person)
            json.field("name", name)
            json.field("email", email)
            json.field("role", role)
            json.field("hash", hash)
            json.field("since", since)
            json.field("signUp", ifPresent: signUp)
        }
    }

    func caller(in session: String?) -> Caller {
        Caller(person: person, name: name, email: email, role: role, session: session)
    }
}

/// The link with which the first administrator is made; its token is kept as a hash only.
struct SetupLink: Sendable, Equatable, JSONReadable, JSONWritable {
    /// SHA-256 of the token, in hex.
    let fingerprint: String
    let expires: Instant

    init(fingerprint: String, expires: Instant) {
        self.fingerprint = fingerprint
        self.expires = expires
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        fingerprint = try json.get("fingerprint")
        expires = try json.get("expires")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("fingerprint", fingerprint)
            json.field("expires", expires)
        }
    }
}
