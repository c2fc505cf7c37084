/// The header fields of a message, in their order; names are case-insensitive (RFC 9110, 5.1).
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in their order, with their names as they were sent.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of fields in this order.
    public init(_ fields: [(String, String)]) {
        for (name, value) in fields { add(name, value) }
    }

    /// Creates a list of fields in this order.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }
    /// The number of fields.
    public var count: Int { fields.count }

    /// The first value of a name; setting replaces all of them, nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areSame($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// Returns all values of a name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { Self.areSame($0.name, name) }.map(\.value)
    }

    /// Appends a field; earlier fields of that name stay.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Returns whether a field may be sent: the name is a token, the value has no line break and no NUL (RFC 9110, 5.5,
    /// 5.6.2).
    static func isSendable(_ name: String, _ value: String) -> Bool {
        isToken(name) && !value.utf8.contains { [0, 0x0A, 0x0D].contains($0) }
    }

    /// Returns whether a name is a token (RFC 9110, 5.6.2).
    static func isToken(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(isTokenByte) }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}
