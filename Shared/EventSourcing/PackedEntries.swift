/// Entries that follow each other, as they travel in a page: for each a length (4 bytes, big end first), its hash
/// (32 bytes) and its bytes. It holds what a page may, at least one entry, and none behind a gap.
public struct PackedEntries: Sendable {
    public private(set) var first: Position?
    public private(set) var count = 0
    public private(set) var bytes: [UInt8] = []
    private var eventBytes = 0
    /// Where the hash of the last one stands.
    private var lastHash = 0..<0

    /// What precedes each entry: its length and its hash.
    public static let overheadBytes = 4 + 32
    /// What an entry has at most, more often than not.
    private static let usualBytes = 1_024

    /// - Parameter count: how many there will be, or more.
    public init(expecting count: Int = 1) {
        bytes.reserveCapacity(
            min(count * Self.usualBytes, EventLimits.pageBytes + EventLimits.pageEvents * Self.overheadBytes))
    }

    /// Takes the first of `entries`, as many as fit.
    public init(_ entries: some Sequence<Entry>) {
        for entry in entries where !add(entry) { break }
    }

    /// The last of them and the chain there.
    public var last: (position: Position, hash: [UInt8])? {
        guard let first else { return nil }
        return (first + Position(count) - 1, Array(bytes[lastHash]))
    }

    /// False where it does not fit.
    public mutating func add(_ entry: Entry) -> Bool {
        add(entry.position, bytes: entry.bytes.count) { packed in
            packed += entry.hash
            packed += entry.bytes
        }
    }

    /// The same of an entry whose hash and bytes `write` writes one behind the other.
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
