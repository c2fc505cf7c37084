/// A cheap view of one value inside a parsed document, which it retains.
///
/// ```
/// let json = try JSONValue.parse(bytes)
/// let id: String = try json.get("id")
/// let note: String? = try json.find("note")
/// ```
public struct JSONValue: Sendable {
    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    /// The kinds of value of RFC 8259, with whole numbers distinguished from fractions.
    public enum Kind: Sendable { case null, bool, integer, double, string, array, object }

    @inlinable
    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// Parses a whole document (RFC 8259, UTF-8, no byte order mark) within ``JSONLimits``.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try parse(bytes.span)
    }

    /// Parses a whole document, as ``parse(_:)`` of its UTF-8 bytes does.
    public static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try parse(text.utf8.span)
    }

    /// Parses a whole document; the bytes are only used during the call.
    public static func parse(_ span: Span<UInt8>) throws(JSONError) -> JSONValue {
        try unsafe parse(span.bytes)
    }

    /// Parses a whole document; the bytes are only used during the call.
    public static func parse(_ span: RawSpan) throws(JSONError) -> JSONValue {
        let document = try unsafe span.withUnsafeBytes { bytes throws(JSONError) in try unsafe JSONDocument(bytes) }
        return JSONValue(document: document, index: 1)
    }

    /// The kind of the value.
    public var kind: Kind {
        switch document.tag(at: index) {
        case JSONDocument.Tag.array: .array
        case JSONDocument.Tag.object: .object
        case JSONDocument.Tag.string: .string
        case JSONDocument.Tag.signed, JSONDocument.Tag.unsigned: .integer
        case JSONDocument.Tag.double: .double
        case JSONDocument.Tag.true, JSONDocument.Tag.false: .bool
        default: .null
        }
    }

    /// Whether the value is null.
    public var isNull: Bool { kind == .null }

    /// Whether this is a whole number above the largest `Int64`.
    var isBeyondInt64: Bool { document.tag(at: index) == JSONDocument.Tag.unsigned }

    /// The first member with this key; nil if it is absent or this is not an object.
    ///
    /// Does not allocate. Of duplicate keys, the first one is found (``hasDuplicateKeys``).
    public subscript(_ key: String) -> JSONValue? {
        guard document.tag(at: index) == JSONDocument.Tag.object,
            let found = document.member(key, of: index)
        else { return nil }
        return JSONValue(document: document, index: found)
    }

    /// The elements; nil if this is not an array.
    public var array: JSONArray? {
        document.tag(at: index) == JSONDocument.Tag.array ? JSONArray(document: document, index: index) : nil
    }

    /// The members; nil if this is not an object.
    public var object: JSONObject? {
        document.tag(at: index) == JSONDocument.Tag.object ? JSONObject(document: document, index: index) : nil
    }
}

// Reading one value as a Swift value; every error names the path.
extension JSONValue {
    /// Reads a string; throws for any other kind.
    public func string() throws(JSONError) -> String {
        guard document.tag(at: index) == JSONDocument.Tag.string else { throw error("expected a string") }
        return document.string(at: index)
    }

    /// Reads a string's UTF-8 with `read`, without creating a `String`.
    ///
    /// Throws `message` if `read` returns nil. `message` is a constant such as `expected a lot number`.
    @inlinable
    public func text<Value>(
        _ message: StaticString, _ read: (Span<UInt8>) -> Value?
    ) throws(JSONError) -> Value {
        guard let value = read(try utf8()) else { throw error("\(message)") }
        return value
    }

    /// Returns a string's UTF-8, borrowed.
    @_lifetime(borrow self)
    @usableFromInline
    func utf8() throws(JSONError) -> Span<UInt8> {
        guard document.tag(at: index) == JSONDocument.Tag.string else { throw error("expected a string") }
        return unsafe _overrideLifetime(document.text(at: index).span, borrowing: self)
    }

    /// Reads a whole number; throws if it does not fit `Int64`.
    ///
    /// `1.0` is a whole number, because some programs have one number type only (JSON Schema 2020-12, 4.2.3).
    public func int() throws(JSONError) -> Int64 {
        switch document.tag(at: index) {
        case JSONDocument.Tag.signed: return Int64(bitPattern: document.number(at: index))
        case JSONDocument.Tag.unsigned: throw error("expected a number that fits 64 bits with sign")
        case JSONDocument.Tag.double:
            let fraction = Double(bitPattern: document.number(at: index))
            guard abs(fraction) <= 0x1p53, let whole = Int64(exactly: fraction) else {
                throw error("expected a whole number")
            }
            return whole
        default: throw error("expected a whole number")
        }
    }

    /// Reads a whole number that is not negative; `1.0` is a whole number.
    public func uint() throws(JSONError) -> UInt64 {
        let number = document.number(at: index)
        switch document.tag(at: index) {
        case JSONDocument.Tag.unsigned: return number
        case JSONDocument.Tag.signed where Int64(bitPattern: number) >= 0: return number
        case JSONDocument.Tag.signed: throw error("expected a number that is not negative")
        case JSONDocument.Tag.double:
            guard Double(bitPattern: number) <= 0x1p53, let whole = UInt64(exactly: Double(bitPattern: number)) else {
                throw error("expected a whole number that is not negative")
            }
            return whole
        default: throw error("expected a whole number")
        }
    }

    /// Reads any number; whole ones beyond 2^53 are rounded to the nearest double.
    public func double() throws(JSONError) -> Double {
        let number = document.number(at: index)
        switch document.tag(at: index) {
        case JSONDocument.Tag.double: return Double(bitPattern: number)
        case JSONDocument.Tag.signed: return Double(Int64(bitPattern: number))
        case JSONDocument.Tag.unsigned: return Double(number)
        default: throw error("expected a number")
        }
    }

    /// Reads a boolean; throws for any other kind.
    public func bool() throws(JSONError) -> Bool {
        switch document.tag(at: index) {
        case JSONDocument.Tag.true: return true
        case JSONDocument.Tag.false: return false
        default: throw error("expected true or false")
        }
    }

    /// Reads this value as `T`.
    @inlinable
    public func read<T: JSONReadable>(as type: T.Type = T.self) throws(JSONError) -> T {
        try T(json: self)
    }

    /// Reads a required member; throws if it is missing.
    @inlinable
    public func get<T: JSONReadable>(_ key: String, as type: T.Type = T.self) throws(JSONError) -> T {
        guard let found = try member(key) else { throw missing(key) }
        return try lend(found) { value throws(JSONError) in try T(json: value) }
    }

    /// Reads an optional member: nil if absent or null; throws if it is not a `T`.
    @inlinable
    public func find<T: JSONReadable>(_ key: String, as type: T.Type = T.self) throws(JSONError) -> T? {
        guard let found = try member(key) else { return nil }
        return try lend(found) { value throws(JSONError) in value.isNull ? nil : try T(json: value) }
    }

    /// Calls `body` with another value of the same document.
    @inlinable
    func lend<Result>(
        _ index: Int, _ body: (borrowing JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try unsafe JSONDocument.lend(.passUnretained(document), index, body)
    }

    @usableFromInline
    func member(_ key: String) throws(JSONError) -> Int? {
        guard document.tag(at: index) == JSONDocument.Tag.object else { throw error("expected an object") }
        return document.member(key, of: index)
    }

    @usableFromInline
    func missing(_ key: String) -> JSONError {
        let place = path
        return JSONError(message: "is missing", path: place.isEmpty ? key : "\(place)/\(key)")
    }

    /// Returns an error about this value; `message` is a constant such as `expected a lot number`, never the value's
    /// text.
    public func error(_ message: String) -> JSONError {
        JSONError(message: message, path: path)
    }
}
