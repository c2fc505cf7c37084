import EventSourcing
import Events
import JSON
import Vocabulary

/// The rules of one place, all in one row, so that a report costs one look-up. The key is the place.
struct PlaceRulesRow: TableRow {
    static let schema = TableSchema("place_rules", [("rules", .text)])

    let key: String
    var rules: [RuleSet]

    init(_ place: Place) {
        key = place.description
        rules = []
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        let text = try reader.text()
        do {
            rules = try [RuleSet](json: JSONValue.parse(text))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    var cells: [Cell] {
        var json = JSONWriter()
        json.array { json in
            for rule in rules { json.object { json in rule.write(fields: &json) } }
        }
        return [.text(String(decoding: json.bytes, as: UTF8.self))]
    }
}

/// The place at which a rule is set. The key is the rule.
struct RulePlaceRow: TableRow {
    static let schema = TableSchema("rule_place", [("place", .text)])

    let key: String
    let place: Place

    init(_ rule: RuleID, _ place: Place) {
        key = rule.rawValue
        self.place = place
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        place = try cells.text(Place.init)
    }

    var cells: [Cell] { [.text(place.description)] }
}
