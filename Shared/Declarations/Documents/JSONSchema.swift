public import JSON
import Vocabulary

/// JSON Schemas (2020-12) of declared types.
public enum JSONSchema {
    /// The dialect of all schemas.
    public static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Returns the schema of a field's value.
    public static func of(_ type: FieldType) -> JSONAny {
        switch type {
        case .value(let value): value.schema
        case .enumeration(let set): oneOf(set.cases.map(\.text))
        case .record(let record): object(record.fields)
        case .list(let element), .listUnlessEmpty(let element):
            .object([("type", .string("array")), ("items", of(element))])
        case .optional(let type): of(type)
        case .integerUnlessZero: integer()
        case .fields(_, let fields, _): object(fields)
        }
    }

    /// Returns the schema of an object with these fields.
    public static func object(_ fields: [Field]) -> JSONAny {
        object(fields.map { ($0.name, described(of($0.type), $0.documentation), !$0.type.isOptional) })
    }

    static func object(_ properties: [(name: String, schema: JSONAny, isRequired: Bool)]) -> JSONAny {
        .object([
            ("type", .string("object")),
            ("required", .array(properties.filter(\.isRequired).map { .string($0.name) })),
            ("properties", .object(properties.map { ($0.name, $0.schema) })),
        ])
    }

    static func text(format: String? = nil, pattern: String? = nil) -> JSONAny {
        var members: [(String, JSONAny)] = [("type", .string("string"))]
        if let format { members.append(("format", .string(format))) }
        if let pattern { members.append(("pattern", .string(pattern))) }
        return .object(members)
    }

    static func integer(minimum: Int64? = nil) -> JSONAny {
        .object([("type", .string("integer"))] + (minimum.map { [("minimum", .integer($0))] } ?? []))
    }

    static func oneOf(_ texts: [String]) -> JSONAny {
        .object([("enum", .array(texts.map { .string($0) }))])
    }

    static let epoch = text(pattern: "^[0-9a-f]{16}$")
    static let actor = text(pattern: "^(person|node|service)/.+$")

    static let identifier = JSONAny.object([
        ("type", .string("string")), ("minLength", .integer(1)), ("maxLength", .integer(200)),
    ])

    /// A reading has the unit that its quantity determines.
    static let reading = JSONAny.object([
        ("type", .string("object")),
        ("required", .array([.string("quantity"), .string("value"), .string("unit")])),
        (
            "oneOf",
            .array(
                Quantity.reported.map { quantity in
                    .object([
                        (
                            "properties",
                            .object([
                                ("quantity", .object([("const", .string(quantity.rawValue))])),
                                ("value", .object([("type", .string("number"))])),
                                ("unit", .object([("const", .string(quantity.unit))])),
                            ])
                        )
                    ])
                })
        ),
    ])

    private static func described(_ schema: JSONAny, _ documentation: String) -> JSONAny {
        guard case .object(let members) = schema else { return schema }
        return .object(members + [("description", .string(documentation))])
    }
}
