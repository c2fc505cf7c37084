public import JSON

/// The tables that a client keeps in step; what is in them is told in `/openapi.json` and by the farm's own pages.
public enum FarmTable: String, CaseIterable, Sendable {
    /// How the start page greets; one record.
    case site
    case farms
    case products
    case offers
    /// Where orders are fetched.
    case pickups
    /// What is left of lots, and which are recalled.
    case lots
    /// The own ones.
    case orders
    case favourites

    /// What decides whether something may be bought, fetched or eaten is taken at once; all else waits for a yes.
    var isTakenAtOnce: Bool { [.lots, .pickups, .orders, .favourites].contains(self) }

    /// What only one person may see.
    static let personal = [FarmTable.orders, .favourites]

    /// What a record must have to be shown at all.
    var needed: [String] {
        switch self {
        case .site, .lots: []
        case .farms: ["title"]
        case .products: ["title", "farm", "unit"]
        case .offers: ["product", "lot", "price"]
        case .pickups: ["title"]
        case .orders: ["state", "lines", "total"]
        case .favourites: ["kind", "name"]
        }
    }
}

/// One record as the farm server told it.
public struct FarmRecord: Sendable, Equatable {
    public let table: FarmTable
    public let id: String
    /// A JSON object.
    public let body: JSONAny

    /// A member that is text; nil where there is none.
    public func text(_ member: String) -> String? {
        guard case .string(let text)? = body[member] else { return nil }
        return text
    }

    /// A member that is a whole number; nil where there is none.
    public func number(_ member: String) -> Int64? {
        guard case .integer(let number)? = body[member] else { return nil }
        return number
    }
}

/// Who is signed in.
public struct FarmPerson: Sendable, Equatable {
    /// `person/<uuid>` without its first part.
    public let person: String
    public let name: String
    public let email: String
    /// `buyer`, `grower`, `auditor`, `administrator`.
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

/// What became of one record; the body is nil where it is gone.
struct Change: Sendable, Equatable {
    let table: FarmTable
    let id: String
    /// JSON as it is written here, so that two of them can be compared.
    let body: String?

    /// Whether it can be shown.
    var isWhole: Bool {
        guard let body else { return true }
        guard !id.isEmpty, let record = FarmRecord(table: table, id: id, json: body), record.text("id") == id else {
            return false
        }
        return table.needed.allSatisfy { record.body[$0] != nil && record.body[$0] != .null }
    }
}

extension FarmRecord {
    /// Nil where the text is no JSON.
    init?(table: FarmTable, id: String, json: String) {
        guard let body = parsed(json) else { return nil }
        self.init(table: table, id: id, body: body)
    }
}
