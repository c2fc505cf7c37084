import Crypto
package import EventSourcing
import Vocabulary

/// SHA-256 over the rows of one table, given in byte order of their keys; the same for every storage.
///
/// A row is the number of its cells (4 bytes, big end first), its key as a text cell, then the cells. A cell is a byte
/// for its kind and then: 0 null, nothing; 1 integer, 8 bytes, big end first; 2 real, the 8 bytes of its bit pattern
/// (IEEE 754), big end first; 3 text, its length in bytes (8 bytes, big end first) and its UTF-8.
package struct RowDigest {
    private var stream = SHA256Stream()
    private var row: [UInt8] = []
    package private(set) var rows = 0

    package init() {}

    /// Adds the next row.
    package mutating func add(key: String, cells: [Cell]) {
        row.removeAll(keepingCapacity: true)
        append(UInt32(truncatingIfNeeded: cells.count))
        append(key)
        for cell in cells {
            switch cell {
            case .null:
                row.append(0)
            case .integer(let value):
                row.append(1)
                append(UInt64(bitPattern: value))
            case .real(let value):
                row.append(2)
                append(value.bitPattern)
            case .text(let value):
                append(value)
            }
        }
        stream.update(row)
        rows += 1
    }

    /// Returns the digest of the added rows and resets this one.
    package mutating func finish(table: String) -> TableDigest {
        defer { rows = 0 }
        return TableDigest(table: table, rows: rows, digest: Hex.encode(stream.finish()))
    }

    private mutating func append(_ text: String) {
        row.append(3)
        append(UInt64(text.utf8.count))
        row.append(contentsOf: text.utf8)
    }

    private mutating func append<Number: FixedWidthInteger & UnsignedInteger>(_ value: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            row.append(UInt8(truncatingIfNeeded: value >> Number(shift)))
        }
    }
}
