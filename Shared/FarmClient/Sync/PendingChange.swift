public import JSON
import SQLite
public import Vocabulary

/// A change made on this device and to be sent to the server, with an idempotency key that is stored first.
///
/// The server applies it once for each key, so it can be sent again after a lost response.
public struct PendingChange: Sendable, Equatable {
    /// The kind of change.
    public enum Kind: String, Sendable {
        case order
        /// The cancellation of an own order.
        case cancellation
        case favourite
        case favouriteNoMore = "favourite-no-more"
        /// The first showing of a promotion to the person.
        case showing
    }

    /// The idempotency key: 32 hexadecimal digits.
    public let id: String
    /// The kind of change.
    public let kind: Kind
    /// The record that it changes; for a new order, its own key until the server has assigned an id.
    public let record: String
    /// The data sent to the server, a JSON object.
    public let body: JSONAny
    /// When it was made, by the device's clock.
    public let made: Instant
    /// The person whose change it is; nil before the first sign-in.
    public let person: String?
    /// Why the server refused it; nil while it waits to be sent.
    public let refusal: String?

    init(
        id: String, kind: Kind, record: String, body: JSONAny = .object([]), made: Instant, person: String?,
        refusal: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.record = record
        self.body = body
        self.made = made
        self.person = person
        self.refusal = refusal
    }
}

/// One line of an order.
public struct OrderItem: Sendable, Equatable {
    /// The id of the offer.
    public let offer: String
    /// The number of units, such as boxes.
    public let quantity: Int

    /// Creates a line.
    public init(offer: String, quantity: Int) {
        self.offer = offer
        self.quantity = quantity
    }
}

extension PendingChange {
    private var table: String {
        switch kind {
        case .order, .cancellation: FarmTable.orders.rawValue
        case .favourite, .favouriteNoMore: FarmTable.favourites.rawValue
        case .showing: "showings"
        }
    }
    private var change: String { kind == .cancellation || kind == .favouriteNoMore ? "deleted" : "created" }

    /// The body of `POST /v1/sync`: `{"person":…,"changes":{"orders":{"created":[{"id":…,…}]}}}`.
    ///
    /// If the session belongs to another person by now, the server refuses it.
    var request: [UInt8] {
        var members: [(String, JSONAny)] = [("id", .string(record))]
        if case .object(let more) = body { members += more }
        let entry: JSONAny = change == "created" ? .object(members) : .string(record)
        let changes = JSONAny.object([(table, .object([(change, .array([entry]))]))])
        return Array(
            text(of: JSONAny.object([("person", person.map { .string($0) } ?? .null), ("changes", changes)])).utf8)
    }

    init?(_ row: [SQLValue]) {
        guard row.count == 7, case .text(let id) = row[0], case .text(let word) = row[1],
            let kind = Kind(rawValue: word),
            case .text(let record) = row[2], case .text(let text) = row[3], case .integer(let made) = row[4],
            let body = parsed(text)
        else { return nil }
        var (person, refusal): (String?, String?)
        if case .text(let text) = row[5] { person = text }
        if case .text(let text) = row[6] { refusal = text }
        self.init(
            id: id, kind: kind, record: record, body: body, made: Instant(microseconds: made), person: person,
            refusal: refusal)
    }

    var cells: [SQLValue] {
        [
            .text(id), .text(kind.rawValue), .text(record),
            .text(text(of: body)), .integer(made.microseconds),
            person.map { .text($0) } ?? .null, refusal.map { .text($0) } ?? .null,
        ]
    }
}
