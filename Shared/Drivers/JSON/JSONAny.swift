/// Any JSON value as a Swift value, for data without a fixed schema.
///
/// Members retain their order, and two objects are equal only if it is the same. Whole numbers beyond `Int64` are
/// stored as the nearest double.
public enum JSONAny: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONAny])
    case object([(String, JSONAny)])

    /// The first member with this key; nil if it is absent or this is not an object.
    public subscript(_ key: String) -> JSONAny? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0.utf8.elementsEqual(key.utf8) }?.1
    }
}

extension JSONAny: Hashable {
    public static func == (one: JSONAny, other: JSONAny) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left.elementsEqual(right, by: ==)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .object(let members):
            hasher.combine(members.count)
            for (key, value) in members {
                hasher.combine(key)
                hasher.combine(value)
            }
        }
    }
}

extension JSONAny: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(try json.bool())
        case .integer:
            self = json.isBeyondInt64 ? .double(try json.double()) : .integer(try json.int())
        case .double: self = .double(try json.double())
        case .string: self = .string(try json.string())
        case .array: self = .array(try [JSONAny](json: json))
        case .object:
            var members: [(String, JSONAny)] = []
            if let object = json.object {
                members.reserveCapacity(object.count)
                for (key, value) in object { members.append((key, try JSONAny(json: value))) }
            }
            self = .object(members)
        }
    }
}

extension JSONAny: JSONWritable {
    public func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let value): json.bool(value)
        case .integer(let value): json.number(value)
        case .double(let value): json.number(value)
        case .string(let value): json.string(value)
        case .array(let values): values.write(to: &json)
        case .object(let members):
            json.object { json in
                for (key, value) in members { json.field(key, value) }
            }
        }
    }
}
