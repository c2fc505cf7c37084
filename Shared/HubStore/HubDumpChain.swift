public import EventSourcing
import EventStore
import Wire

/// Verifies the hub's chain in a dump of its entries, piece by piece as it is read.
///
/// The dump is a stream in PostgreSQL's binary COPY format. After a header of 19 bytes come rows of a field count (16
/// bits) and fields, each with a length (32 bits, −1 for null) and its bytes. A count of −1 ends it. Numbers are
/// big-endian.
public struct HubDumpChain {
    /// The position of the last verified entry.
    public private(set) var position: Position = 0
    /// The chain hash at `position`.
    public private(set) var hash: [UInt8]
    private var waiting: [UInt8] = []
    private var isInside = false
    private var isOver = false

    private static let headerBytes = 19
    /// The field counts of a row. Builds without pruning lacked the last column, `commitment`.
    private static let fields = (HubSchema.entryColumns.count - 1)...HubSchema.entryColumns.count
    private static let null = 0xFFFF_FFFF
    private static let end = 0xFFFF
    /// The indexes of position, chain hash and bytes in `HubSchema.entryColumns`.
    private static let (positionField, hashField, bytesField) = (0, 6, 8)

    /// Starts before the first entry.
    ///
    /// - Parameter start: the chain hash before the first entry.
    public init(after start: [UInt8]) {
        hash = start
    }

    /// Returns the field count of the first row of a dump; nil if the dump has no row.
    static func fields(ofDump piece: [UInt8]) -> Int? {
        guard piece.count >= headerBytes + 2 else { return nil }
        let count = Int(piece[headerBytes]) << 8 | Int(piece[headerBytes + 1])
        return count == end ? nil : count
    }

    /// Verifies the next piece. Throws if a row is malformed or does not continue the chain.
    public mutating func take(_ piece: [UInt8]) throws(LogFailure) {
        waiting += piece
        var at = 0
        if !isInside, waiting.count >= Self.headerBytes {
            isInside = true
            at = Self.headerBytes
        }
        while isInside, let (row, end) = try row(at: at) {
            if let row { try follow(row) }
            at = end
        }
        waiting.removeFirst(at)
    }

    /// Throws if the dump is incomplete, or if its last entry is not `head`.
    public func end(at head: Head) throws(LogFailure) {
        guard isOver, waiting.isEmpty else { throw broken("it breaks off behind entry \(position)") }
        guard position == head.position, hash == head.hash else {
            throw broken("it ends at \(position) and not at \(head.position)")
        }
    }

    /// Returns the field ranges of the row at an offset and where the row ends; nil if it is incomplete so far.
    private mutating func row(at start: Int) throws(LogFailure) -> (row: [Range<Int>]?, end: Int)? {
        guard !isOver else {
            guard start == waiting.count else { throw broken("something follows its end") }
            return nil
        }
        guard let count = number(at: start, bytes: 2) else { return nil }
        if count == Self.end {
            isOver = true
            return (nil, start + 2)
        }
        guard Self.fields.contains(count) else { throw broken("the row behind entry \(position) has \(count) fields") }
        var at = start + 2
        var row: [Range<Int>] = []
        for _ in 0..<count {
            guard let stated = number(at: at, bytes: 4) else { return nil }
            let length = stated == Self.null ? 0 : stated
            guard length <= EventLimits.eventBytes + 1024 else {
                throw broken("a field behind entry \(position) has \(length) bytes")
            }
            at += 4
            guard at + length <= waiting.count else { return nil }
            row.append(at..<(at + length))
            at += length
        }
        return (row, at)
    }

    private mutating func follow(_ row: [Range<Int>]) throws(LogFailure) {
        let next = position + 1
        let stated = number(at: row[Self.positionField].lowerBound, bytes: 8)
        let entry = Entry(
            position: next, hash: Array(waiting[row[Self.hashField]]), bytes: Array(waiting[row[Self.bytesField]]))
        guard row[Self.positionField].count == 8, stated == Int(next),
            Chain.firstBreak(in: [entry], after: hash, at: position) == nil
        else {
            throw broken("the hub's chain breaks at \(next)")
        }
        (position, hash) = (next, entry.hash)
    }

    private func number(at start: Int, bytes: Int) -> Int? {
        guard start + bytes <= waiting.count else { return nil }
        return waiting[start..<(start + bytes)].reduce(0) { $0 << 8 | Int($1) }
    }

    private func broken(_ what: String) -> LogFailure {
        LogFailure(operation: "check the hub", message: what)
    }
}
