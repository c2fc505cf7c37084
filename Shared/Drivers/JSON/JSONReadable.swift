/// A type that can be read from one JSON value.
///
/// ```
/// struct Reading: JSONReadable {
///     let value: Double
///     init(json: borrowing JSONValue) throws(JSONError) { value = try json.get("value") }
/// }
/// ```
public protocol JSONReadable {
    /// Reads the value; throws what was expected and where: `throw json.error("expected a lot number")`.
    ///
    /// The value is borrowed: reference counting of its document would take most of the time of reading an event.
    init(json: borrowing JSONValue) throws(JSONError)
}

extension JSONValue: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = copy json }
}

extension String: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.string() }
}

extension Bool: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.bool() }
}

extension Double: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.double() }
}

extension Int64: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.int() }
}

extension UInt64: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.uint() }
}

extension Int: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.narrowed(json.int()) }
}

extension Int32: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.narrowed(json.int()) }
}

extension UInt32: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.narrowed(json.uint()) }
}

extension UInt16: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.narrowed(json.uint()) }
}

extension UInt8: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) { self = try json.narrowed(json.uint()) }
}

extension JSONValue {
    fileprivate func narrowed<Narrow: FixedWidthInteger>(_ wide: some BinaryInteger) throws(JSONError) -> Narrow {
        guard let narrow = Narrow(exactly: wide) else {
            throw error("expected a number from \(Narrow.min) to \(Narrow.max)")
        }
        return narrow
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    @inlinable
    public init(json: borrowing JSONValue) throws(JSONError) {
        self.init()
        reserveCapacity(try json.elementCount())
        try json.lendEach { element throws(JSONError) in append(try Element(json: element)) }
    }
}

extension JSONReadable where Self: RawRepresentable, RawValue == String {
    /// Reads one of the known raw values; throws for any other.
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let known = Self(rawValue: try json.string()) else {
            throw json.error("expected a known \(Self.self)")
        }
        self = known
    }
}
