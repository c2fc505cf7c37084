public import EventSourcing
public import JSON
import Vocabulary

/// The JSON Schema (2020-12) of an event's data, generated from its Swift type.
public enum Schema {
    /// The dialect of all schemas.
    public static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Types whose JSON differs from their stored properties.
    private static let leaves: [ObjectIdentifier: JSONAny] = [
        ObjectIdentifier(String.self): text(),
        ObjectIdentifier(Bool.self): .object([("type", .string("boolean"))]),
        ObjectIdentifier(Int.self): .object([("type", .string("integer"))]),
        ObjectIdentifier(Int64.self): .object([("type", .string("integer"))]),
        ObjectIdentifier(UInt64.self): .object([("type", .string("integer")), ("minimum", .integer(0))]),
        ObjectIdentifier(Double.self): .object([("type", .string("number"))]),
        ObjectIdentifier(Instant.self): text(format: "date-time"),
        ObjectIdentifier(UUID.self): text(format: "uuid"),
        ObjectIdentifier(GTIN.self): text(pattern: "^[0-9]{14}$"),
        ObjectIdentifier(Place.self): text(pattern: "^(plot|store)/.+$"),
        ObjectIdentifier(Epoch.self): text(pattern: "^[0-9a-f]{16}$"),
        ObjectIdentifier(Actor.self): text(pattern: "^(person|node|service)/.+$"),
        ObjectIdentifier(JSONAny.self): .object([]),
        ObjectIdentifier(Reading.self): reading,
        ObjectIdentifier(Favourite.self): text(pattern: "^(farm|product)/.+$"),
        ObjectIdentifier(Currency.self): text(pattern: "^[A-Z]{3}$"),
    ]

    /// Members that are omitted when empty, although the property is not optional.
    private static let leftOutWhenEmpty: [String: Set<String>] = [
        FeedConsumed.name: ["parked"], Quarantined.name: ["others"],
    ]

    /// Returns the schema of a type.
    public static func of(_ type: Any.Type) -> JSONAny {
        let shape = TypeShape(type)
        if let leaf = leaves[ObjectIdentifier(type)] { return leaf }
        if let wrapped = shape.wrapped { return of(wrapped) }
        if let element = shape.element { return .object([("type", .string("array")), ("items", of(element))]) }
        if let texts = shape.texts { return .object([("enum", .array(texts.map { .string($0) }))]) }
        if shape.isText { return name }
        return object(shape, leavingOut: [])
    }

    /// Returns the schema of an event's `data`.
    public static func data(of type: any Event.Type) -> JSONAny {
        object(TypeShape(type), leavingOut: leftOutWhenEmpty[type.name] ?? [])
    }

    private static func object(_ shape: TypeShape, leavingOut optional: Set<String>) -> JSONAny {
        let properties = shape.properties
        let required = properties.filter { TypeShape($0.type).wrapped == nil && !optional.contains($0.name) }
        return .object([
            ("type", .string("object")),
            ("required", .array(required.map { .string($0.name) })),
            ("properties", .object(properties.map { ($0.name, of($0.type)) })),
        ])
    }

    static func text(format: String? = nil, pattern: String? = nil) -> JSONAny {
        var members: [(String, JSONAny)] = [("type", .string("string"))]
        if let format { members.append(("format", .string(format))) }
        if let pattern { members.append(("pattern", .string(pattern))) }
        return .object(members)
    }

    private static let name: JSONAny = .object([
        ("type", .string("string")), ("minLength", .integer(1)), ("maxLength", .integer(200)),
    ])

    /// A reading's unit is no stored property, because the quantity determines it.
    private static let reading: JSONAny = .object([
        ("type", .string("object")),
        ("required", .array([.string("quantity"), .string("value"), .string("unit")])),
        (
            "oneOf",
            .array(
                Quantity.allCases.map { quantity in
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
}
