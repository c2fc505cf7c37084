/// A text that is compared and ordered by its UTF-8 bytes, as databases do it.
///
/// Swift's own `==` equates canonically equivalent texts, so a dictionary would merge two keys that are two rows in
/// SQLite and PostgreSQL.
package struct BinaryString: Hashable, Comparable, Sendable {
    package let text: String
    /// The hash of the text, computed once: a staged event's stream is looked up about six times.
    private let digest: Int

    package init(_ text: String) {
        self.text = text
        // Texts with equal bytes have equal hashes. Equivalent texts collide, which is harmless.
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

    /// Returns whether the text's bytes begin with those of `prefix`.
    package func begins(with prefix: BinaryString) -> Bool {
        let (whole, part) = (text.utf8.span, prefix.text.utf8.span)
        guard part.count <= whole.count else { return false }
        for index in part.indices where whole[index] != part[index] { return false }
        return true
    }
}
