/// Looks up the members of one object, each from behind the one found before, in a circle.
///
/// Whoever reads members in the order they were written pays one comparison for each; in any other order it is as slow
/// as ``JSONValue/get(_:as:)``. Where a key is there twice, either may be found. It cannot outlive the value that it is
/// made of, so it counts no reference to the document.
@safe public struct JSONMembers: ~Escapable {
    @usableFromInline let document: Unmanaged<JSONDocument>
    private let tape: UnsafePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private let object: Int
    private let end: Int
    private var place: Int
    /// Whether a member before `place` was passed over.
    private var hasSkipped = false

    /// Throws for anything but an object.
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

    /// Reads a member that must be there.
    @inlinable
    public mutating func get<T: JSONReadable>(_ key: StaticString, as type: T.Type = T.self) throws(JSONError) -> T {
        let found = place(of: key)
        guard found > 0 else { throw missing(key) }
        return try lend(found) { member throws(JSONError) in try T(json: member) }
    }

    /// Reads a member that may be absent or null: both give nil, another kind than `T` is an error. One that was read
    /// before is not looked for while all were read in their order.
    @inlinable
    public mutating func find<T: JSONReadable>(_ key: StaticString, as type: T.Type = T.self) throws(JSONError) -> T? {
        let found = place(of: key, again: false)
        guard found > 0 else { return nil }
        return try lend(found) { member throws(JSONError) in member.isNull ? nil : try T(json: member) }
    }

    /// What `read` makes of the UTF-8 of a member that must be there, as ``JSONValue/text(_:_:)`` does.
    @inlinable
    public mutating func text<Value>(
        _ key: StaticString, _ message: StaticString, _ read: (Span<UInt8>) -> Value?
    ) throws(JSONError) -> Value {
        let found = place(of: key)
        guard found > 0 else { throw missing(key) }
        return try lend(found) { member throws(JSONError) in try member.text(message, read) }
    }

    /// The member as it is; nil where there is none.
    public mutating func next(_ key: String) -> JSONValue? {
        var key = key
        let found = key.withUTF8 { unsafe place(of: $0, true) }
        guard found > 0 else { return nil }
        return unsafe JSONValue(document: document.takeUnretainedValue(), index: found)
    }

    /// Shows a value of the document.
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

    /// Where the value of a member stands; 0 where there is none.
    ///
    /// - Parameter again: whether it may have been read before.
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
