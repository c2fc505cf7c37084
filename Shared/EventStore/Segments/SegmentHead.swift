import Crypto
public import EventSourcing
import Vocabulary
public import Wire

/// The signed head of a segment: which positions of which journal it contains, the chain hashes before and after them,
/// their Merkle root, and the length and digest of each block.
///
/// It is the text of a C2SP signed note. Its lines are: `furrow-segment/1`, the origin, the journal's epoch when it was
/// sealed, `first last`, the chain hash before `first`, the chain hash at `last`, the Merkle root over the entries
/// (RFC 6962), the key that signs it as a `vkey`, and one line for each block: `last bytes unpacked sha256 chain`.
/// `chain` is the chain hash before the block's first entry. Hashes are in base64.
///
/// The head of a pruned segment begins with `furrow-pruned/1` instead and has the same positions, chain hashes and
/// root: the root still covers all entries as they were sealed.
public struct SegmentHead: Sendable, Equatable {
    /// A run of entries that is compressed on its own.
    public struct Block: Sendable, Equatable {
        /// The positions of its entries.
        public let positions: ClosedRange<Position>
        /// Bytes in the file, compressed.
        public let bytes: Int
        /// Bytes after decompression.
        public let unpacked: Int
        /// SHA-256 of the compressed bytes.
        public let digest: [UInt8]
        /// The chain hash before the first entry.
        public let before: [UInt8]
    }

    /// The origin's name.
    public let feed: String
    /// The journal's epoch when the run was sealed.
    public let epoch: Epoch
    /// The positions of the segment's entries.
    public let positions: ClosedRange<Position>
    /// The chain hash before the first entry.
    public let before: [UInt8]
    /// The chain hash at the last entry.
    public let after: [UInt8]
    /// The Merkle root over the entries' bytes as they were sealed.
    public let root: [UInt8]
    /// The key that signs the head.
    public let key: NoteKey
    /// The blocks, in order.
    public let blocks: [Block]
    /// Whether some entries were pruned, so that only their hashes remain.
    public let isPruned: Bool

    private static let format = "furrow-segment/1"
    private static let prunedFormat = "furrow-pruned/1"

    init(
        feed: String, epoch: Epoch, positions: ClosedRange<Position>, before: [UInt8], after: [UInt8], root: [UInt8],
        key: NoteKey, blocks: [Block], isPruned: Bool = false
    ) {
        self.feed = feed
        self.epoch = epoch
        self.positions = positions
        (self.before, self.after, self.root) = (before, after, root)
        self.key = key
        self.blocks = blocks
        self.isPruned = isPruned
    }

    /// Bytes of all blocks: the length of the file after the note.
    public var bodyBytes: Int { blocks.reduce(0) { $0 + $1.bytes } }

    /// The text that is signed.
    var text: String {
        let lines = [
            isPruned ? Self.prunedFormat : Self.format, feed, epoch.description,
            "\(positions.lowerBound) \(positions.upperBound)",
            Self.text(before), Self.text(after), Self.text(root), key.vkey,
        ]
        let rows = blocks.map { block in
            "\(block.positions.upperBound) \(block.bytes) \(block.unpacked) \(Self.text(block.digest)) "
                + Self.text(block.before)
        }
        return (lines + rows).map { $0 + "\n" }.joined()
    }

    private static func text(_ hash: [UInt8]) -> String { BaseEncoding.base64.encode(hash) }
}

// Parsing.
extension SegmentHead {
    /// Parses a signed note.
    ///
    /// Throws, with the reason in words, unless it is signed by the key that it names and has the canonical spelling.
    public init(note bytes: [UInt8]) throws(LogFailure) {
        try self.init(note: bytes) { (note, key) throws(SignedNote.Refusal) in _ = try note.verified(by: [key]) }
    }

    /// Parses a note and verifies it with `verify`; tests pass a weaker check.
    init(
        note bytes: [UInt8], verifying verify: (SignedNote, NoteKey) throws(SignedNote.Refusal) -> Void
    ) throws(LogFailure) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(SignedNote.Refusal) {
            let note = try SignedNote(text)
            try self.init(note.text)
            guard note.signatures.count == 1, Array(note.note.utf8) == bytes else {
                throw SignedNote.Refusal.malformed("another spelling")
            }
            try verify(note, key)
        } catch {
            throw LogFailure(operation: "read a segment", message: "its head is not what was signed (\(error))")
        }
    }

    private init(_ text: String) throws(SignedNote.Refusal) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        guard lines.count > 8, lines[0] == Self.format || lines[0] == Self.prunedFormat else {
            throw .malformed("not a \(Self.format)")
        }
        isPruned = lines[0] == Self.prunedFormat
        guard let origin = Origin(lines[1]), let epoch = Epoch(lines[2]), let ends = Self.numbers(lines[3]),
            ends.count == 2, let key = NoteKey(vkey: lines[7])
        else { throw .malformed("not the first lines of a head") }
        let hashes = try lines[4..<7].map { line throws(SignedNote.Refusal) in try Self.hash(line) }
        feed = origin.description
        self.epoch = epoch
        (before, after, root) = (hashes[0], hashes[1], hashes[2])
        self.key = key
        var blocks: [Block] = []
        var next = Position(ends[0])
        for line in lines[8...] {
            let block = try Self.block(line, from: next)
            blocks.append(block)
            next = block.positions.upperBound + 1
        }
        guard ends[0] > 0, ends[0] <= ends[1], next == Position(ends[1]) + 1, blocks.first?.before == before,
            blocks.reduce(0, { $0 &+ $1.bytes }) <= StoreLimits.segmentBytes
        else { throw .malformed("blocks that are not its positions") }
        positions = Position(ends[0])...Position(ends[1])
        self.blocks = blocks
        // Only the canonical spelling of a head is accepted.
        guard self.text == text else { throw .malformed("another spelling") }
    }

    private static func block(_ line: String, from first: Position) throws(SignedNote.Refusal) -> Block {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 5, let numbers = numbers(words[..<3].joined(separator: " ")),
            Position(numbers[0]) >= first, numbers[0] - Int(first) < StoreLimits.blockEvents,
            (1...StoreLimits.blockBytes).contains(numbers[1]), (1...StoreLimits.blockBytes).contains(numbers[2])
        else { throw .malformed("a line that is no block") }
        return Block(
            positions: first...Position(numbers[0]), bytes: numbers[1], unpacked: numbers[2],
            digest: try hash(words[3]), before: try hash(words[4]))
    }

    /// Parses positive numbers separated by spaces. Each has at most eighteen digits, so that sums fit into an `Int`.
    private static func numbers(_ line: String) -> [Int]? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let numbers = words.compactMap { $0.utf8.count <= 18 ? Int($0) : nil }
        return numbers.count == words.count && numbers.allSatisfy { $0 > 0 } ? numbers : nil
    }

    private static func hash(_ text: String) throws(SignedNote.Refusal) -> [UInt8] {
        guard let hash = BaseEncoding.base64.decode(text), hash.count == MerkleTree.hashBytes else {
            throw .malformed("not a hash")
        }
        return hash
    }
}
