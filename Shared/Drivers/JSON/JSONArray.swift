/// The elements of an array, read off the tape one after the other.
public struct JSONArray: Sequence, Sendable {
    let document: JSONDocument
    let index: Int

    public var count: Int { document.count(at: index) }
    public var isEmpty: Bool { count == 0 }
    public var underestimatedCount: Int { count }

    public func makeIterator() -> Iterator {
        Iterator(document: document, place: index + 1, end: document.end(of: index) - 1)
    }

    /// Walks the elements.
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
    /// How many elements an array has; anything else is an error.
    @usableFromInline
    func elementCount() throws(JSONError) -> Int {
        guard document.tag(at: index) == JSONDocument.Tag.array else { throw error("expected an array") }
        return document.count(at: index)
    }

    /// Shows each element of an array in its order.
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
