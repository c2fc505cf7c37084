/// The elements of an array, read from the tape in order.
public struct JSONArray: Sequence, Sendable {
    let document: JSONDocument
    let index: Int

    /// The number of elements.
    public var count: Int { document.count(at: index) }
    /// Whether there are no elements.
    public var isEmpty: Bool { count == 0 }
    /// The number of elements.
    public var underestimatedCount: Int { count }

    public func makeIterator() -> Iterator {
        Iterator(document: document, place: index + 1, end: document.end(of: index) - 1)
    }

    /// Iterates over the elements.
    public struct Iterator: IteratorProtocol {
        let document: JSONDocument
        var place: Int
        let end: Int

        public mutating func next() -> JSONValue? {
            guard place < end else { return nil }
            defer { place = document.end(of: place) }
            return JSONValue(document: document, index: place)
        }
    }
}

extension JSONValue {
    /// Returns the number of elements; throws for anything but an array.
    @usableFromInline
    func elementCount() throws(JSONError) -> Int {
        guard document.tag(at: index) == JSONDocument.Tag.array else { throw error("expected an array") }
        return document.count(at: index)
    }

    /// Calls `body` with each element of an array in order.
    @usableFromInline
    func lendEach(_ body: (borrowing JSONValue) throws(JSONError) -> Void) throws(JSONError) {
        var place = index + 1
        let end = document.end(of: index) - 1
        while place < end {
            try lend(place, body)
            place = document.end(of: place)
        }
    }
}
