/// The members of an object in their written order, duplicates included.
public struct JSONObject: Sequence, Sendable {
    let document: JSONDocument
    let index: Int

    /// The number of members, duplicates included.
    public var count: Int { document.count(at: index) }
    /// Whether there are no members.
    public var isEmpty: Bool { count == 0 }
    /// The number of members, duplicates included.
    public var underestimatedCount: Int { count }

    public func makeIterator() -> Iterator {
        Iterator(document: document, place: index + 1, end: document.end(of: index) - 1)
    }

    /// Iterates over the members.
    public struct Iterator: IteratorProtocol {
        let document: JSONDocument
        var place: Int
        let end: Int

        public mutating func next() -> (key: String, value: JSONValue)? {
            guard place < end else { return nil }
            let value = place + 1
            defer { place = document.end(of: value) }
            return (document.string(at: place), JSONValue(document: document, index: value))
        }
    }
}

extension JSONValue {
    /// Whether this object, or any object inside it, has a key twice.
    ///
    /// Look-ups find the first of them.
    public var hasDuplicateKeys: Bool {
        if let object { return object.repeatsKey || object.contains { $0.value.hasDuplicateKeys } }
        if let array { return array.contains { $0.hasDuplicateKeys } }
        return false
    }
}

extension JSONObject {
    /// Up to this many members, comparing all pairs is quicker than a set.
    private static let pairwiseMax = 16

    /// Whether this object itself, without nested ones, has a key twice, byte for byte.
    fileprivate var repeatsKey: Bool {
        var keys: [Int] = []
        keys.reserveCapacity(count)
        var place = index + 1
        let end = document.end(of: index) - 1
        while place < end {
            keys.append(place)
            place = document.end(of: place + 1)
        }
        guard keys.count > Self.pairwiseMax else {
            return keys.indices.contains { later in
                keys[..<later].contains {
                    let (one, other) = unsafe (document.text(at: $0), document.text(at: keys[later]))
                    return unsafe one.count == other.count && JSONDocument.same(one, other)
                }
            }
        }
        var seen: Set<[UInt8]> = []
        return keys.contains { unsafe !seen.insert(Array(document.text(at: $0))).inserted }
    }
}
