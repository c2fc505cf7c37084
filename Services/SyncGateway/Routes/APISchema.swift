import JSON

/// The schema of a JSON value, used by the API description (JSON Schema 2020-12) and by the validation of requests.
indirect enum APISchema: Sendable {
    /// Any text; used in responses only.
    case text
    case form(StringFormat)
    case integer
    case whole(ClosedRange<Int>)
    case number
    case between(ClosedRange<Double>)
    case flag
    /// A time by RFC 3339; responses use UTC.
    case time
    case words([String])
    /// Bytes in base64.
    case base64
    case list(APISchema)
    case few(APISchema, ClosedRange<Int>)
    /// An object with members of any name.
    case map(APISchema)
    case object(Shape)
    case orNull(APISchema)
    case anything

    static let name = form(.name)
    static let line = form(.line(200))

    static func lines(_ most: Int) -> APISchema { .form(.lines(most)) }

    /// Returns the schema of an amount whose number of minor units lies in the range.
    static func money(_ range: ClosedRange<Int>) -> APISchema {
        .object(["minor": .whole(range), "currency": .form(.currency)])
    }

    /// Returns the schema of a page of a list.
    static func page(of shape: Shape) -> APISchema {
        .object(["items": .list(.object(shape)), "next?": .orNull(.text)])
    }

    /// The schema in a request: an optional member may also be null.
    var asked: APISchema {
        switch self {
        case .list(let element): .list(element.asked)
        case .few(let element, let count): .few(element.asked, count)
        case .map(let element): .map(element.asked)
        case .object(let shape): .object(shape.asked)
        default: self
        }
    }

    /// The schema of an optional member in a request.
    fileprivate var askedOrLeftOut: APISchema {
        if case .form(let form) = self { .orNull(.form(form.optional)) } else { .orNull(asked) }
    }
}

/// The members of an object; a name that ends in `?` may be absent.
struct Shape: Sendable, ExpressibleByDictionaryLiteral {
    struct Member: Sendable {
        let name: String
        let schema: APISchema
        let isRequired: Bool
        /// What the value means; nil for members that are not declared yet.
        var documentation: String?

        static func required(_ name: String, _ schema: APISchema, _ documentation: String) -> Member {
            Member(name: name, schema: schema, isRequired: true, documentation: documentation)
        }

        static func optional(_ name: String, _ schema: APISchema, _ documentation: String) -> Member {
            Member(name: name, schema: schema, isRequired: false, documentation: documentation)
        }
    }

    private(set) var members: [Member]
    /// Whether members that are not listed are accepted and ignored, because others define the format.
    private(set) var isOpen = false
    /// Whether the shape is part of a request; the API description then states whether other members are accepted.
    private var isAsked = false

    /// The shape of a format that others define and may extend.
    var open: Shape {
        var copy = self
        copy.isOpen = true
        return copy
    }

    init(_ members: [Member]) {
        self.members = members
    }

    init(dictionaryLiteral elements: (String, APISchema)...) {
        members = elements.map { name, schema in
            let isOptional = name.hasSuffix("?")
            return Member(name: isOptional ? String(name.dropLast()) : name, schema: schema, isRequired: !isOptional)
        }
    }

    /// Returns the shape with further members.
    func with(_ more: Shape) -> Shape {
        var copy = self
        copy.members += more.members
        return copy
    }

    /// The shape in a request.
    var asked: Shape {
        var copy = self
        copy.isAsked = true
        copy.members = members.map { member in
            Member(
                name: member.name, schema: member.isRequired ? member.schema.asked : member.schema.askedOrLeftOut,
                isRequired: member.isRequired, documentation: member.documentation)
        }
        return copy
    }
}

extension APISchema: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.object { json in write(fields: &json) }
    }

    fileprivate func write(fields json: inout JSONWriter) {
        switch self {
        case .text: json.field("type", "string")
        case .form(let form): form.write(fields: &json)
        case .integer: json.field("type", "integer")
        case .whole(let range):
            json.field("type", "integer")
            json.field("minimum", range.lowerBound)
            json.field("maximum", range.upperBound)
        case .number: json.field("type", "number")
        case .between(let range):
            json.field("type", "number")
            json.field("minimum", range.lowerBound)
            json.field("maximum", range.upperBound)
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
        case .few(let element, let count):
            json.field("type", "array")
            json.field("items", element)
            json.field("minItems", count.lowerBound)
            json.field("maxItems", count.upperBound)
        case .map(let element):
            json.field("type", "object")
            json.field("additionalProperties", element)
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

extension Shape.Member: JSONWritable {
    /// Writes the schema of the member with what it means.
    func write(to json: inout JSONWriter) {
        json.object { json in
            schema.write(fields: &json)
            json.field("description", ifPresent: documentation)
        }
    }
}

extension StringFormat {
    fileprivate func write(fields json: inout JSONWriter) {
        json.field("type", "string")
        json.field("pattern", pattern)
        json.field("minLength", characters.lowerBound)
        json.field("maxLength", characters.upperBound)
        json.field("format", ifPresent: format)
    }
}

extension Shape {
    fileprivate func write(fields json: inout JSONWriter) {
        json.field("type", "object")
        json.field("properties", object: { json in for member in members { json.field(member.name, member) } })
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { json.field("required", required) }
        if isAsked { json.field("additionalProperties", isOpen) }
    }
}
