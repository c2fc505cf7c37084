import JSON

/// The shape of a JSON value, as far as the public description of the API tells it (JSON Schema 2020-12).
indirect enum Schema: Sendable {
    case text
    /// Letters, digits, hyphen and underscore: may stand in addresses.
    case name
    case integer
    case number
    case flag
    /// RFC 3339, UTC.
    case time
    case words([String])
    /// Bytes in base 64.
    case base64
    case list(Schema)
    case object(Shape)
    case orNull(Schema)
    case anything

    /// One page of a list.
    static func page(of shape: Shape) -> Schema {
        .object(["items": .list(.object(shape)), "next?": .orNull(.text)])
    }
}

/// The members of an object; a name that ends in `?` may be absent.
struct Shape: Sendable, ExpressibleByDictionaryLiteral {
    struct Member: Sendable {
        let name: String
        let schema: Schema
        let isRequired: Bool
    }

    let members: [Member]

    init(dictionaryLiteral elements: (String, Schema)...) {
        members = elements.map { name, schema in
            let isOptional = name.hasSuffix("?")
            return Member(name: isOptional ? String(name.dropLast()) : name, schema: schema, isRequired: !isOptional)
        }
    }
}

extension Schema: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.object { json in write(fields: &json) }
    }

    private func write(fields json: inout JSONWriter) {
        switch self {
        case .text: json.field("type", "string")
        case .name:
            json.field("type", "string")
            json.field("pattern", "^[A-Za-z0-9_-]{1,40}$")
        case .integer: json.field("type", "integer")
        case .number: json.field("type", "number")
        case .flag: json.field("type", "boolean")
        case .time:
            json.field("type", "string")
            json.field("format", "date-time")
        case .words(let words):
            json.field("type", "string")
            json.field("enum", words)
        case .base64:
            json.field("type", "string")
            json.field("contentEncoding", "base64")
        case .list(let element):
            json.field("type", "array")
            json.field("items", element)
        case .object(let shape): shape.write(fields: &json)
        case .orNull(let schema):
            json.field(
                "anyOf",
                array: { json in
                    json.element(schema)
                    json.object { $0.field("type", "null") }
                })
        case .anything: break
        }
    }
}

extension Shape {
    fileprivate func write(fields json: inout JSONWriter) {
        json.field("type", "object")
        json.field("properties", object: { json in for member in members { json.field(member.name, member.schema) } })
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { json.field("required", required) }
    }
}
