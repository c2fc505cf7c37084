import EventSourcing
import Events
import JSON
import Vocabulary

/// The rules that are set for one place, or for one measuring point, in one row. The key is the scope.
struct ScopeRulesRow: TableRow {
    static let schema = TableSchema("place_rules", [("rules", .text)])

    let key: String
    var rules: [RuleSet]

    init(_ scope: RuleScope) {
        key = scope.description
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

/// What a rule is set for. The key is the rule.
struct RuleScopeRow: TableRow {
    static let schema = TableSchema("rule_place", [("place", .text)])

    let key: String
    let scope: RuleScope

    init(_ rule: RuleSet) {
        key = rule.rule.rawValue
        scope = RuleScope(rule)
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        scope = try cells.text(RuleScope.init)
    }

    var cells: [Cell] { [.text(scope.description)] }
}
