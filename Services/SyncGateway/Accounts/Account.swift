import Events
import JSON
import Vocabulary

/// A person's account, stored in the vault.
struct Account: Sendable, Equatable, JSONReadable, JSONWritable {
    let person: PersonID
    let name: String
    /// The e-mail address in lower case.
    let email: String
    let role: Role
    /// The password's argon2id hash in its encoded form.
    var hash: String
    let since: Instant
    /// The fingerprint of the idempotency key of a buyer's sign-up. A repeated sign-up with this key finds the same
    /// account.
    var signUp: String?
    /// The language of the person's pages and messages; nil if the person has chosen none.
    var language: PageLanguage?
    /// When the person is notified of promotions; nil if the person has chosen no hours.
    var notificationHours: NotificationHours?

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
        language = try json.find("language", as: String.self).flatMap(PageLanguage.init)
        notificationHours = try json.find("notificationHours", as: String.self).flatMap(NotificationHours.init(text:))
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
            json.field("language", ifPresent: language?.rawValue)
            json.field("notificationHours", ifPresent: notificationHours?.text)
        }
    }

    func caller(in session: String?) -> Caller {
        Caller(person: person, name: name, email: email, role: role, session: session, language: language)
    }
}

/// The link that creates the first administrator, or one that resets a password. Only a hash of its token is stored.
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
