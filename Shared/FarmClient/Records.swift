public import JSON

/// The tables that a client synchronises; their records are described in `/openapi.json`.
public enum FarmTable: String, CaseIterable, Sendable {
    /// The texts of the start page; one record.
    case site
    case farms
    case products
    case offers
    /// The places where orders are picked up.
    case pickups
    /// The remaining stock of lots, and their recalls.
    case lots
    /// The signed-in person's orders.
    case orders
    case favourites
    /// The rules of the farms' promotions; the client decides which apply.
    case promotions

    /// Whether an update is applied at once, because it decides what may be bought, collected or eaten.
    ///
    /// Other updates wait for `applyNews`.
    var isTakenAtOnce: Bool { [.lots, .pickups, .orders, .favourites, .promotions].contains(self) }

    /// Tables with personal data, which are deleted at sign-out.
    static let personal = [FarmTable.orders, .favourites]

    /// The members that a record must have to be shown.
    var needed: [String] {
        switch self {
        case .site, .lots: []
        case .farms: ["title"]
        case .products: ["title", "farm", "unit"]
        case .offers: ["product", "lot", "price"]
        case .pickups: ["title"]
        case .orders: ["state", "lines", "total"]
        case .favourites: ["kind", "name"]
        case .promotions: ["title", "farm", "audience", "from", "until"]
        }
    }
}

/// One record, as the farm server sent it.
public struct FarmRecord: Sendable, Equatable {
    /// The table.
    public let table: FarmTable
    /// The id, unique in its table.
    public let id: String
    /// The whole record, a JSON object.
    public let body: JSONAny

    /// Returns a member that is a text; nil if there is none.
    public func text(_ member: String) -> String? {
        guard case .string(let text)? = body[member] else { return nil }
        return text
    }

    /// Returns a member that is a whole number; nil if there is none.
    public func number(_ member: String) -> Int64? {
        guard case .integer(let number)? = body[member] else { return nil }
        return number
    }
}

/// The signed-in person.
public struct FarmPerson: Sendable, Equatable {
    /// The person's id, from `person/<uuid>`.
    public let person: String
    /// The person's name.
    public let name: String
    /// The person's e-mail address.
    public let email: String
    /// The person's role: `buyer`, `grower`, `auditor`, `administrator`.
    public let role: String

    init(_ json: JSONValue) throws(JSONError) {
        person = try json.get("person")
        name = try json.get("name")
        email = try json.get("email")
        role = try json.get("role")
    }

    var json: String {
        written { json in
            json.field("person", person)
            json.field("name", name)
            json.field("email", email)
            json.field("role", role)
        }
    }
}

/// A change of one record; the body is nil if it was deleted.
struct Change: Sendable, Equatable {
    let table: FarmTable
    let id: String
    /// JSON in this module's own format, so that two bodies can be compared.
    let body: String?

    /// Whether the record can be shown: it has an id and all needed members.
    var isWhole: Bool {
        guard let body else { return true }
        guard !id.isEmpty, let record = FarmRecord(table: table, id: id, json: body), record.text("id") == id else {
            return false
        }
        return table.needed.allSatisfy { record.body[$0] != nil && record.body[$0] != .null }
    }
}

extension FarmRecord {
    /// Parses a record; nil if the text is no JSON.
    init?(table: FarmTable, id: String, json: String) {
        guard let body = parsed(json) else { return nil }
        self.init(table: table, id: id, body: body)
    }
}
