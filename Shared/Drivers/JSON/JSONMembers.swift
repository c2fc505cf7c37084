/// Looks up the members of one object, starting each search after the member found last.
///
/// Reading members in their written order costs one comparison each; any other order is as slow as
/// ``JSONValue/get(_:as:)``. Of duplicate keys, either may be found. The value cannot outlive the one it is made of, so
/// it counts no reference to the document.
@safe public struct JSONMembers: ~Escapable {
    @usableFromInline let document: Unmanaged<JSONDocument>
    private let tape: UnsafePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private let object: Int
    private let end: Int
    private var place: Int
    /// Whether a member before `place` was skipped.
    private var hasSkipped = false

    /// Creates a reader of an object's members; throws for anything but an object.
    @_lifetime(borrow value)
    public init(of value: borrowing JSONValue) throws(JSONError) {
        guard value.document.tag(at: value.index) == JSONDocument.Tag.object else {
            throw value.error("expected an object")
        }
        unsafe document = .passUnretained(value.document)
        unsafe (tape, strings) = (value.document.tape, value.document.strings)
        object = value.index
        end = value.document.end(of: value.index) - 1
        place = object + 1
    }

    /// Reads a required member; throws if it is missing.
    @inlinable
    public mutating func get<T: JSONReadable>(_ key: StaticString, as type: T.Type = T.self) throws(JSONError) -> T {
        let found = place(of: key)
        guard found > 0 else { throw missing(key) }
        return try lend(found) { member throws(JSONError) in try T(json: member) }
    }

    /// Reads an optional member: nil if absent or null; throws if it is not a `T`.
    ///
    /// While all members are read in their order, it does not search those read before.
    @inlinable
    public mutating func find<T: JSONReadable>(_ key: StaticString, as type: T.Type = T.self) throws(JSONError) -> T? {
        let found = place(of: key, again: false)
        guard found > 0 else { return nil }
        return try lend(found) { member throws(JSONError) in member.isNull ? nil : try T(json: member) }
    }

    /// Reads a required member's UTF-8 with `read`, as ``JSONValue/text(_:_:)`` does.
    @inlinable
    public mutating func text<Value>(
        _ key: StaticString, _ message: StaticString, _ read: (Span<UInt8>) -> Value?
    ) throws(JSONError) -> Value {
        let found = place(of: key)
        guard found > 0 else { throw missing(key) }
        return try lend(found) { member throws(JSONError) in try member.text(message, read) }
    }

    /// Returns the member's value; nil if there is none.
    public mutating func next(_ key: String) -> JSONValue? {
        var key = key
        let found = key.withUTF8 { unsafe place(of: $0, true) }
        guard found > 0 else { return nil }
        return unsafe JSONValue(document: document.takeUnretainedValue(), index: found)
    }

    /// Calls `body` with a value of the document.
    @inlinable
    func lend<Result>(
        _ index: Int, _ body: (borrowing JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try unsafe JSONDocument.lend(document, index, body)
    }

    @usableFromInline
    func missing(_ key: StaticString) -> JSONError {
        unsafe document._withUnsafeGuaranteedRef { JSONValue(document: $0, index: object).missing("\(key)") }
    }

    /// Returns the index of a member's value; 0 if there is none.
    ///
    /// - Parameter again: whether members that were read before are searched, too.
    @usableFromInline
    mutating func place(of key: StaticString, again: Bool = true) -> Int {
        unsafe place(of: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), again)
    }

    @inline(__always)
    private mutating func place(of key: UnsafeBufferPointer<UInt8>, _ again: Bool) -> Int {
        var found = unsafe search(key, in: place..<end)
        if found == 0, again || hasSkipped { found = unsafe search(key, in: (object + 1)..<place) }
        guard found > 0 else { return 0 }
        hasSkipped = hasSkipped || found != place + 1
        place = unsafe JSONDocument.end(of: found, on: tape)
        return found
    }

    @inline(__always)
    private func search(_ key: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            let text = unsafe JSONDocument.text(at: index, on: tape, strings)
            if text.count == key.count, unsafe JSONDocument.same(text, key) { return index + 1 }
            index = unsafe JSONDocument.end(of: index + 1, on: tape)
        }
        return 0
    }
}
