/// Looks up the members of one object, each from behind the one found before, in a circle.
///
/// Whoever reads members in the order they were written pays one comparison for each; in any other order it is as slow
/// as ``JSONValue/get(_:as:)``. Where a key is there twice, either may be found.
@safe public struct JSONMembers {
    @usableFromInline let value: JSONValue
    /// The document and what is its own, which `value` keeps alive: reaching them through it would count references at
    /// every step.
    @usableFromInline let document: Unmanaged<JSONDocument>
    private let tape: UnsafePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private let first: Int
    private let end: Int
    private var place: Int

    /// Throws for anything but an object.
    public init(of value: borrowing JSONValue) throws(JSONError) {
        guard value.document.tag(at: value.index) == JSONDocument.Tag.object else {
            throw value.error("expected an object")
        }
        self.value = copy value
        unsafe document = .passUnretained(value.document)
        unsafe (tape, strings) = (value.document.tape, value.document.strings)
        first = value.index + 1
        end = value.document.end(of: value.index) - 1
        place = first
    }

    /// Reads a member that must be there.
    @inlinable
    public mutating func get<T: JSONReadable>(_ key: String, as type: T.Type = T.self) throws(JSONError) -> T {
        guard let found = place(of: key) else { throw value.missing(key) }
        return try lend(found) { member throws(JSONError) in try T(json: member) }
    }

    /// Reads a member that may be absent or null: both give nil, another kind than `T` is an error.
    @inlinable
    public mutating func find<T: JSONReadable>(_ key: String, as type: T.Type = T.self) throws(JSONError) -> T? {
        guard let found = place(of: key) else { return nil }
        return try lend(found) { member throws(JSONError) in member.isNull ? nil : try T(json: member) }
    }

    /// The member as it is; nil where there is none.
    public mutating func next(_ key: String) -> JSONValue? {
        place(of: key).map { JSONValue(document: value.document, index: $0) }
    }

    /// Shows a value of the document, which `value` keeps alive until it was read.
    @inlinable
    func lend<Result>(
        _ index: Int, _ body: (borrowing JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        defer { withExtendedLifetime(value) {} }
        return try unsafe JSONDocument.lend(document, index, body)
    }

    /// Where the value of a member stands.
    @usableFromInline
    mutating func place(of key: String) -> Int? {
        guard let found = search(key, in: place..<end) ?? search(key, in: first..<place) else { return nil }
        place = unsafe JSONDocument.end(of: found, on: tape)
        return found
    }

    @inline(__always)
    private func search(_ key: borrowing String, in range: Range<Int>) -> Int? {
        let (tape, strings) = unsafe (tape, strings)
        var key = copy key
        return key.withUTF8 { wanted in
            var index = range.lowerBound
            while index < range.upperBound {
                let text = unsafe JSONDocument.text(at: index, on: tape, strings)
                if text.count == wanted.count, unsafe JSONDocument.same(text, wanted) { return index + 1 }
                index = unsafe JSONDocument.end(of: index + 1, on: tape)
            }
            return nil
        }
    }
}
