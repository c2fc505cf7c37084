import Declarations
import JSON

/// The fields of events in words.
extension DescribedMember {
    init(_ field: Field) {
        self.init(
            name: field.name, shape: field.type.words, isRequired: !field.type.isOptional,
            documentation: field.documentation, members: field.type.members)
    }
}

extension FieldType {
    fileprivate var words: String {
        switch self {
        case .value(let value): Self.words(of: value.schema)
        case .enumeration: "one of these texts"
        case .record: "object"
        case .list(let element): "list; each one: \(element.words)"
        case .listUnlessEmpty(let element): "list, left out if empty; each one: \(element.words)"
        case .optional(let type): type.words
        case .integerUnlessZero: "whole number, left out if 0"
        case .fields: "object"
        }
    }

    fileprivate var members: [DescribedMember] {
        switch self {
        case .record(let record): record.fields.map(DescribedMember.init)
        case .list(let type), .listUnlessEmpty(let type), .optional(let type): type.members
        case .enumeration(let set):
            set.cases.map { value in
                DescribedMember(
                    name: value.text, shape: "", isRequired: true, documentation: value.documentation, members: [])
            }
        case .fields(_, let fields, _): fields.map(DescribedMember.init)
        case .value, .integerUnlessZero: []
        }
    }

    private static func words(of schema: JSONAny) -> String {
        guard case .object(let members) = schema else { return "any JSON" }
        func text(_ name: String) -> String? {
            if case .string(let text)? = members.first(where: { $0.0 == name })?.1 { text } else { nil }
        }
        if case .array(let values)? = schema["enum"] {
            let names = values.compactMap { if case .string(let text) = $0 { "`\(text)`" } else { nil } }
            return "one of " + names.joined(separator: ", ")
        }
        switch (text("type"), text("format"), text("pattern")) {
        case ("string", "date-time", _): return "time"
        case ("string", "uuid", _): return "UUID"
        case ("string", _, let pattern?): return "text that matches `\(pattern)`"
        case ("string", _, _): return "text"
        case ("integer", _, _): return "whole number"
        case ("number", _, _): return "number"
        case ("boolean", _, _): return "`true` or `false`"
        case ("object", _, _):
            if schema["oneOf"] != nil { return "reading: `quantity`, `value` and the quantity's `unit`" }
            return schema["properties"]?["minor"] != nil ? "amount of money" : "object"
        default: return "any JSON"
        }
    }
}
