import EventSourcing
import Events
import JSON
import Vocabulary

/// A promotion of which buyers are notified on their devices. The key is the promotion.
struct NotifyingPromotionRow: TableRow {
    static let schema = TableSchema("notifying_promotion", [("farm", .text), ("rule", .text)])

    let key: String
    let farm: FarmID
    let rule: PromotionRule

    init(_ event: PromotionPublished, of farm: FarmID) {
        key = event.promotion.rawValue
        self.farm = farm
        rule = event.rule
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = FarmID(try cells.text())
        rule = try cells.text(Self.rule)
    }

    var cells: [Cell] {
        var json = JSONWriter()
        rule.write(to: &json)
        return [.text(farm.rawValue), .text(json.text)]
    }

    private static func rule(_ text: String) -> PromotionRule? {
        do throws(JSONError) {
            return try PromotionRule(json: JSONValue.parse(text))
        } catch {
            return nil
        }
    }
}

/// The promotions of which a person was notified, and when the last time was. The key is the person.
struct PersonNotificationsRow: TableRow {
    static let schema = TableSchema("person_notifications", [("last", .integer), ("promotions", .text)])

    let key: String
    private(set) var last = Instant.earliest
    /// The newest ``GatewayLimits/notificationsOfPerson``.
    private(set) var promotions: [PromotionID] = []

    init(_ person: PersonID) { key = person.rawValue }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        last = Instant(microseconds: try cells.integer())
        promotions = try cells.text().split(separator: "\n").map { PromotionID(String($0)) }
    }

    var cells: [Cell] {
        [.integer(last.microseconds), .text(promotions.map(\.rawValue).joined(separator: "\n"))]
    }

    mutating func add(_ promotion: PromotionID, at time: Instant) {
        last = time
        promotions = (promotions + [promotion]).suffix(GatewayLimits.notificationsOfPerson)
    }
}
