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

    /// Shows each element in its order.
    @usableFromInline
    func lendEach(_ body: (borrowing JSONValue) throws(JSONError) -> Void) throws(JSONError) {
        var place = index + 1
        let end = document.end(of: index) - 1
        while place < end {
            try unsafe JSONDocument.lend(.passUnretained(document), place, body)
            place = document.end(of: place)
        }
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
