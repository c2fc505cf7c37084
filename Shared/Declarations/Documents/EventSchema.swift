public import JSON

extension JSONSchema {
    /// Returns the schema of a whole event as it is stored and published: envelope and data (CloudEvents 1.0 in JSON).
    public static func event(_ event: EventType, in family: Family) -> JSONAny {
        let name = event.name(in: family)
        return .object([
            ("$schema", .string(dialect)),
            ("$id", .string("urn:furrow:event:\(name)")),
            ("title", .string(name)),
            ("description", .string(event.documentation)),
            ("type", .string("object")),
            ("required", .array((envelope.filter(\.isRequired).map(\.name) + ["data"]).map { .string($0) })),
            (
                "properties",
                .object(
                    envelope.map { attribute in
                        attribute.name == "type"
                            ? ("type", .object([("const", .string(name))])) : (attribute.name, attribute.schema)
                    } + [("data", object(event.fields))])
            ),
        ])
    }

    /// One attribute of the envelope.
    private struct Attribute {
        let name: String
        let schema: JSONAny
        var isRequired = true
    }

    /// The attributes that `EnvelopeCodec` writes.
    private static let envelope = [
        Attribute(name: "specversion", schema: .object([("const", .string("1.0"))])),
        Attribute(name: "id", schema: text(format: "uuid")),
        Attribute(name: "source", schema: text(pattern: "^/[a-z-]+/.+-[0-9]+$")),
        Attribute(name: "type", schema: text()),
        Attribute(name: "subject", schema: text()),
        Attribute(name: "time", schema: text(format: "date-time")),
        Attribute(name: "recordedtime", schema: text(format: "date-time")),
        Attribute(name: "originepoch", schema: epoch),
        // A decimal string: CloudEvents integers end at 2^31 − 1.
        Attribute(name: "originpos", schema: text(pattern: "^[1-9][0-9]*$")),
        Attribute(name: "streamver", schema: .object([("type", .string("integer")), ("minimum", .integer(1))])),
        Attribute(name: "farm", schema: text(), isRequired: false),
        Attribute(name: "actor", schema: actor),
        Attribute(name: "correlationid", schema: text(format: "uuid"), isRequired: false),
        Attribute(name: "causationid", schema: text(format: "uuid"), isRequired: false),
        Attribute(
            name: "traceparent", schema: text(pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"), isRequired: false),
    ]
}
