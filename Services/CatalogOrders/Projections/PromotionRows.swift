import EventSourcing
import Events
import JSON
import Vocabulary

/// A promotion, and what came of it.
struct PromotionRow: TableRow {
    static let schema = TableSchema(
        "promotion",
        [
            ("farm", .text), ("rule", .text), ("published", .integer), ("ended", .text), ("shown", .integer),
            ("held_back", .integer), ("shown_bought", .integer), ("held_back_bought", .integer),
        ])

    let key: String
    let farm: FarmID
    var rule: PromotionRule
    let published: Instant
    /// Why it ended; nil while it has not.
    var ended: PromotionEndReason?
    var people = PromotionCounts()

    init(_ event: PromotionPublished, farm: FarmID, at time: Instant) {
        key = event.promotion.rawValue
        self.farm = farm
        rule = event.rule
        published = time
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = FarmID(try cells.text())
        rule = try cells.text { text in
            do throws(JSONError) {
                return try PromotionRule(json: JSONValue.parse(Array(text.utf8)))
            } catch {
                return nil
            }
        }
        published = Instant(microseconds: try cells.integer())
        if let text = try cells.optionalText() {
            guard let why = PromotionEndReason(rawValue: text) else {
                throw RowDecodingError(table: Self.schema.name, key: key)
            }
            ended = why
        }
        people = PromotionCounts(
            shown: try cells.int(), heldBack: try cells.int(), shownBought: try cells.int(),
            heldBackBought: try cells.int())
    }

    var cells: [Cell] {
        var json = JSONWriter()
        rule.write(to: &json)
        return [
            .text(farm.rawValue), .text(json.text), .integer(published.microseconds), Cell(ended?.rawValue),
            .integer(Int64(people.shown)), .integer(Int64(people.heldBack)), .integer(Int64(people.shownBought)),
            .integer(Int64(people.heldBackBought)),
        ]
    }
}

/// How many people saw a promotion, from how many it was held back, and how many of each have ordered since.
struct PromotionCounts: Equatable, Sendable {
    var shown = 0
    var heldBack = 0
    var shownBought = 0
    var heldBackBought = 0
}

/// That a person saw a promotion, or that it was held back from them. The key is `<person>|<promotion>`.
struct PromotionSeenRow: TableRow {
    static let schema = TableSchema(
        "promotion_seen", [("since", .integer), ("held_back", .integer), ("bought", .integer)])

    let key: String
    let since: Instant
    let isHeldBack: Bool
    /// Whether the person has ordered what it is about since.
    var hasBought = false

    init(_ event: PromotionShown, since: Instant) {
        key = Self.key(event.person, event.promotion)
        self.since = since
        isHeldBack = event.heldBack
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        since = Instant(microseconds: try cells.integer())
        isHeldBack = try cells.flag()
        hasBought = try cells.flag()
    }

    var cells: [Cell] { [.integer(since.microseconds), Cell(isHeldBack), Cell(hasBought)] }
    var promotion: String { String(key.drop { $0 != "|" }.dropFirst()) }

    static func key(_ person: PersonID, _ promotion: PromotionID) -> String { "\(person)|\(promotion)" }
}
