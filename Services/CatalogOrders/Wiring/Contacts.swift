import EventSourcing
import EventStore
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// The contact details of buyers. They are stored only in the vault and erased with the person.
struct Contacts {
    private static let kind = "contact"

    private let vault: Vault
    private let forget: (PersonID) throws(VaultError) -> Void

    init(_ vault: Vault) {
        self.init(vault, forget: vault.erase)
    }

    /// - Parameter forget: erases a person's entries in the vault.
    init(_ vault: Vault, forget: @escaping (PersonID) throws(VaultError) -> Void) {
        self.vault = vault
        self.forget = forget
    }

    /// The contact details of one buyer.
    struct Contact: Sendable, Equatable, JSONReadable, JSONRecord {
        var name: String?
        var address: String?
        var telephone: String?

        init(name: String?, address: String?, telephone: String?) {
            self.name = name
            self.address = address
            self.telephone = telephone
        }

        init(json: borrowing JSONValue) throws(JSONError) {
            name = try json.find("name")
            address = try json.find("address")
            telephone = try json.find("telephone")
        }

        func write(fields json: inout JSONWriter) {
            json.field("name", ifPresent: name)
            json.field("address", ifPresent: address)
            json.field("telephone", ifPresent: telephone)
        }
    }

    func keep(_ ask: Request, _ command: KeepContact) throws(Problem) -> Response {
        guard let person = ask.person else { throw Problem(401, "not-signed-in", "Sign in first.") }
        let contact = Contact(name: command.name, address: command.address, telephone: command.telephone)
        var json = JSONWriter()
        contact.write(to: &json)
        do {
            try vault.put(kind: Self.kind, id: person.rawValue, fields: json.bytes, person: person)
        } catch {
            throw Self.problem(error)
        }
        return .made(contact)
    }

    func contact(of person: PersonID) throws(Problem) -> Contact? {
        do {
            guard let fields = try vault.get(kind: Self.kind, id: person.rawValue) else { return nil }
            return try read(fields)
        } catch {
            throw Self.problem(error)
        }
    }

    /// Erases the persons that are not erased yet and returns their number.
    func erase(_ persons: some Sequence<PersonID>) throws(VaultError) -> Int {
        var erased = 0
        for person in persons where try !vault.isErased(person) {
            try forget(person)
            erased += 1
        }
        return erased
    }

    private func read(_ fields: [UInt8]) throws(VaultError) -> Contact {
        do throws(JSONError) {
            return try Contact(json: JSONValue.parse(fields))
        } catch {
            throw .unreadable
        }
    }

    private static func problem(_ error: VaultError) -> Problem {
        switch error {
        case .erased: Problem(410, "erased", "This account was erased.")
        case .tooLarge: Problem(400, "malformed", "A field is too long.")
        case .taken, .unreadable, .failed:
            Problem(503, "vault", "What is kept of people cannot be read or written just now.")
        }
    }
}
