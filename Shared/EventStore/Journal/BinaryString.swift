/// A text told apart and ordered by its bytes, as databases do it.
///
/// Swift's own `==` takes canonically equivalent texts for the same, so a dictionary would merge two keys that are two
/// rows in SQLite and Postgres.
package struct BinaryString: Hashable, Comparable, Sendable {
    package let text: String
    /// Of the text, made once: a staged event's stream is looked up half a dozen times.
    private let digest: Int

    package init(_ text: String) {
        self.text = text
        // Equal bytes are equal texts, so the text's own hash does; that equivalent texts collide costs nothing.
        digest = text.hashValue
    }

    package static func == (left: BinaryString, right: BinaryString) -> Bool {
        let (one, other) = (left.text.utf8.span, right.text.utf8.span)
        guard left.digest == right.digest, one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }

    package static func < (left: BinaryString, right: BinaryString) -> Bool {
        let (one, other) = (left.text.utf8.span, right.text.utf8.span)
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return one[index] < other[index]
        }
        return one.count < other.count
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }

    /// Whether the bytes of `prefix` are this text's first.
    package func begins(with prefix: BinaryString) -> Bool {
        let (whole, part) = (text.utf8.span, prefix.text.utf8.span)
        guard part.count <= whole.count else { return false }
        for index in part.indices where whole[index] != part[index] { return false }
        return true
    }
}
