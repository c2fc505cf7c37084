/// Consecutive entries in the encoding of a page: for each entry a length (4 bytes, big-endian), its hash (32 bytes)
/// and its bytes.
///
/// It contains at most as much as a page may, at least one entry, and no entry after a gap.
public struct PackedEntries: Sendable {
    /// The position of the first entry; nil if there is none.
    public private(set) var first: Position?
    /// The number of entries.
    public private(set) var count = 0
    /// The encoded entries.
    public private(set) var bytes: [UInt8] = []
    private var eventBytes = 0
    /// The range of the last entry's hash in `bytes`.
    private var lastHash = 0..<0

    /// The bytes of the length and the hash before each entry.
    public static let overheadBytes = 4 + 32
    /// An upper estimate of an ordinary event's bytes, to reserve capacity.
    private static let usualBytes = 1_024

    /// Creates an empty page.
    ///
    /// - Parameter count: the expected number of entries or more, to reserve capacity.
    public init(expecting count: Int = 1) {
        bytes.reserveCapacity(
            min(count * Self.usualBytes, EventLimits.pageBytes + EventLimits.pageEvents * Self.overheadBytes))
    }

    /// Encodes the first of `entries`, as many as fit into a page.
    public init(_ entries: some Sequence<Entry>) {
        for entry in entries where !add(entry) { break }
    }

    /// The position and chain hash of the last entry; nil if there is none.
    public var last: (position: Position, hash: [UInt8])? {
        guard let first else { return nil }
        return (first + Position(count) - 1, Array(bytes[lastHash]))
    }

    /// Appends an entry. Returns false, without appending it, if it does not fit or does not follow the last one.
    public mutating func add(_ entry: Entry) -> Bool {
        add(entry.position, bytes: entry.bytes.count) { packed in
            packed += entry.hash
            packed += entry.bytes
        }
    }

    /// Appends an entry whose 32-byte hash and `length` bytes `write` appends, in this order. Returns false if it does
    /// not fit.
    public mutating func add(_ position: Position, bytes length: Int, _ write: (inout [UInt8]) -> Void) -> Bool {
        if let first {
            guard count < EventLimits.pageEvents, eventBytes + length <= EventLimits.pageBytes,
                position == first + Position(count)
            else { return false }
        } else {
            first = position
        }
        for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        let start = bytes.count
        write(&bytes)
        lastHash = start..<(bytes.count - length)
        eventBytes += length
        count += 1
        return true
    }
}
