import JSON
import Vocabulary
import Wire

/// Validation of requests against the API description.
extension APISchema {
    /// Throws if a value does not match the schema; the error names the path and what was expected.
    func check(_ value: JSONValue) throws(JSONError) {
        switch self {
        case .anything: return
        case .text, .base64: _ = try value.string()
        case .form(let form):
            guard form.accepts(try value.string()) else { throw value.error("use \(form.words)") }
        case .integer: _ = try value.int()
        case .whole(let range):
            guard range.contains(Int(try value.int())) else { throw value.error(Self.between(range)) }
        case .number: _ = try value.double()
        case .between(let range):
            guard range.contains(try value.double()) else { throw value.error(Self.between(range)) }
        case .flag: _ = try value.bool()
        case .time: _ = try value.read(as: Instant.self)
        case .words(let words):
            guard words.contains(try value.string()) else { throw value.error(Self.oneOf(words)) }
        case .list(let element): try Self.check(value, each: element, 0...Int.max)
        case .few(let element, let count): try Self.check(value, each: element, count)
        case .map(let element):
            guard let members = value.object else { throw value.error("expected an object") }
            for (_, value) in members { try element.check(value) }
        case .object(let shape): try shape.check(value)
        case .orNull(let schema): if !value.isNull { try schema.check(value) }
        }
    }

    private static func check(_ value: JSONValue, each schema: APISchema, _ count: ClosedRange<Int>) throws(JSONError) {
        guard let elements = value.array else { throw value.error("expected a list") }
        guard count.contains(elements.count) else {
            throw value.error("expected \(count.lowerBound) to \(count.upperBound) of them")
        }
        for element in elements { try schema.check(element) }
    }

    /// Throws if the text of a path or query parameter does not match the schema.
    func check(_ text: String, _ name: String) throws(Problem) {
        let expected: String? =
            switch self {
            case .form(let form): form.accepts(text) ? nil : "use \(form.words)"
            case .integer: Int64(text) == nil ? "expected a whole number" : nil
            case .whole(let range): Int(text).map(range.contains) == true ? nil : Self.between(range)
            case .number: Double(text) == nil ? "expected a number" : nil
            case .between(let range): Double(text).map(range.contains) == true ? nil : Self.between(range)
            case .time: Instant(text) == nil ? "expected a time as in RFC 3339" : nil
            case .words(let words): words.contains(text) ? nil : Self.oneOf(words)
            default: nil
            }
        if let expected { throw Problem(400, "malformed", "\(name): \(expected).") }
    }

    private static func between<Number>(_ range: ClosedRange<Number>) -> String {
        "expected a number from \(range.lowerBound) to \(range.upperBound)"
    }

    private static func oneOf(_ words: [String]) -> String { "expected one of " + words.joined(separator: ", ") }
}

extension Shape {
    func check(_ value: JSONValue) throws(JSONError) {
        guard value.object != nil else { throw value.error("expected an object") }
        for member in members {
            if let found = value[member.name] {
                try member.schema.check(found)
            } else if member.isRequired {
                let place = value.error("").path
                throw JSONError(message: "is missing", path: place.isEmpty ? member.name : "\(place)/\(member.name)")
            }
        }
    }
}
