public import JSON
import SQLite
public import Vocabulary

/// Something that was decided on this device and is to be sent: it has a name of its own, written down here before it
/// was sent for the first time. The server does it once for each name, so an answer that is lost only means that it is
/// asked again.
public struct PendingChange: Sendable, Equatable {
    /// What is promised.
    public enum Kind: String, Sendable {
        case order
        /// An order of one's own is called off.
        case cancellation
        case favourite
        case favouriteNoMore = "favourite-no-more"
    }

    /// 32 hexadecimal digits.
    public let id: String
    public let kind: Kind
    /// The record that it is about: an order's is its promise's name until the server has given it one.
    public let record: String
    /// What the server is told, a JSON object.
    public let body: JSONAny
    public let made: Instant
    /// Whose it is; nil until somebody has signed in.
    public let person: String?
    /// Why the server will not; nil while it waits to be sent.
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
    public let offer: String
    /// Boxes, or whatever the offer sells one of.
    public let quantity: Int

    public init(offer: String, quantity: Int) {
        self.offer = offer
        self.quantity = quantity
    }
}

extension PendingChange {
    private var table: FarmTable { kind == .order || kind == .cancellation ? .orders : .favourites }
    private var change: String { kind == .order || kind == .favourite ? "created" : "deleted" }

    /// `{"person":…,"changes":{"orders":{"created":[{"id":…,…}]}}}`: what `POST /v1/sync` takes.
    ///
    /// The session may be another's by now: the server refuses what is not the caller's.
    var request: [UInt8] {
        var members: [(String, JSONAny)] = [("id", .string(record))]
        if case .object(let more) = body { members += more }
        let told: JSONAny = change == "created" ? .object(members) : .string(record)
        let changes = JSONAny.object([(table.rawValue, .object([(change, .array([told]))]))])
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
