import Crypto
public import EventSourcing
import System
import Vocabulary
import Wire
import Zstd

/// A sealed part of a journal in a file of its own: a signed note (``SegmentHead``) and the blocks of entries.
///
/// Each block is a zstd frame with one entry a line: the event, or for a pruned one `-` and its hash in base64.
///
/// Every byte of the file is authenticated: the note by its signature, each block by its SHA-256 in the note, and the
/// length by the lengths in the note. Chain hashes are recomputed from the bytes. Only the requested block is read.
/// Pruning replaces the whole file (``PrunedRun``).
///
/// ```
/// let segment = try Segment(path: path)
/// if let block = segment.block(holding: position) { entries = try segment.entries(inBlock: block) }
/// ```
public struct Segment {
    /// The decoded and verified head.
    public let head: SegmentHead
    /// The note as it is signed and stored.
    public let note: [UInt8]
    /// Reads bytes of the file, given an offset and a count.
    private let fetch: (Int, Int) throws(SystemError) -> [UInt8]

    /// Opens a segment file. Throws if its signature, format or length is wrong.
    public init(path: String) throws(LogFailure) {
        let (beginning, size) = try Self.reading { () throws(SystemError) in
            (try FileReader(path: path).read(SignedNote.noteBytesMax), try File.size(path))
        }
        try self.init(beginning, size: size) { (offset, count) throws(SystemError) in
            try FileReader(path: path, from: offset).read(count)
        }
    }

    /// Opens a segment from its bytes in memory.
    public init(bytes: [UInt8]) throws(LogFailure) {
        try self.init(Array(bytes.prefix(SignedNote.noteBytesMax)), size: bytes.count) { offset, count in
            Array(bytes.dropFirst(offset).prefix(count))
        }
    }

    init(
        _ beginning: [UInt8], size: Int, fetch: @escaping (Int, Int) throws(SystemError) -> [UInt8]
    ) throws(LogFailure) {
        note = Array(beginning.prefix(Self.noteBytes(beginning)))
        head = try SegmentHead(note: note)
        guard size == note.count + head.bodyBytes else {
            throw LogFailure(
                operation: "read a segment",
                message: "its head gives a length of \(note.count + head.bodyBytes) bytes, and it has \(size)")
        }
        self.fetch = fetch
    }

    private static func reading<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(LogFailure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw LogFailure(operation: "read a segment", message: "\(error)", isAway: error.isShortage)
        }
    }

    /// Returns the length of the note, which ends with the first line after the blank one.
    private static func noteBytes(_ bytes: [UInt8]) -> Int {
        let newline = UInt8(ascii: "\n")
        var isBlank = false
        for index in bytes.indices.dropFirst() where bytes[index] == newline {
            if isBlank { return index + 1 }
            if bytes[index - 1] == newline { isBlank = true }
        }
        return bytes.count
    }

    /// Returns the index of the block that contains a position, or nil if the segment does not contain it.
    public func block(holding position: Position) -> Int? {
        head.blocks.firstIndex { $0.positions.contains(position) }
    }

    /// Returns the entries of a block, with their chain hashes.
    ///
    /// Throws, naming the block's positions, if any byte of the block was changed.
    public func entries(inBlock number: Int) throws(LogFailure) -> [Entry] {
        let block = head.blocks[number]
        let offset = head.blocks[..<number].reduce(note.count) { $0 + $1.bytes }
        return try entries(
            inBlock: number, packed: Self.reading { () throws(SystemError) in try fetch(offset, block.bytes) })
    }

    func entries(inBlock number: Int, packed: [UInt8]) throws(LogFailure) -> [Entry] {
        let block = head.blocks[number]
        guard packed.count == block.bytes, SHA256.hash(packed) == block.digest else {
            throw damage(of: block, "its bytes are not what was sealed")
        }
        let lines: [UInt8]
        do throws(ZstdError) {
            var decompressor = try Decompressor()
            lines = try decompressor.decompress(packed, count: block.unpacked)
        } catch {
            throw damage(of: block, "\(error)")
        }
        let after = number + 1 < head.blocks.count ? head.blocks[number + 1].before : head.after
        guard let entries = entries(in: lines, of: block), entries.last?.hash == after else {
            throw damage(of: block, "its chain does not lead to what follows")
        }
        return entries
    }

    /// Returns the chain hash at a position; before the first one, that of the journal before the segment.
    func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
        if position + 1 == head.positions.lowerBound { return head.before }
        return try block(holding: position).flatMap { (block) throws(LogFailure) in
            try entries(inBlock: block).first { $0.position == position }?.hash
        }
    }

    /// Verifies all blocks, and the Merkle root unless the segment is pruned. Throws at the first mismatch.
    public func verify() throws(LogFailure) {
        var tree = MerkleTiles()
        for number in head.blocks.indices {
            for entry in try entries(inBlock: number) { tree.append(leaf: MerkleTree.leaf(entry.bytes)) }
        }
        guard head.isPruned || tree.root == head.root else {
            throw LogFailure(
                operation: "read a segment",
                message: "\(head.feed): its head names another Merkle root than its entries have")
        }
    }

    private func entries(in lines: [UInt8], of block: SegmentHead.Block) -> [Entry]? {
        var entries: [Entry] = []
        entries.reserveCapacity(block.positions.count)
        var hash = block.before
        var rest = lines[...]
        for position in block.positions {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if head.isPruned, line.first == Self.prunedMark {
                guard let left = BaseEncoding.base64.decode(String(decoding: line.dropFirst(), as: UTF8.self)),
                    left.count == hash.count
                else { return nil }
                hash = left
                entries.append(Entry(position: position, hash: hash, bytes: []))
            } else {
                let bytes = Array(line)
                hash = Chain.next(after: hash, bytes)
                entries.append(Entry(position: position, hash: hash, bytes: bytes))
            }
        }
        return rest.isEmpty ? entries : nil
    }

    /// Returns the line for a pruned entry: its hash.
    static func line(ofPruned entry: Entry) -> [UInt8] {
        [prunedMark] + Array(BaseEncoding.base64.encode(entry.hash).utf8)
    }

    /// The first byte of a pruned entry's line; no event begins with it.
    private static let prunedMark = UInt8(ascii: "-")

    private func damage(of block: SegmentHead.Block, _ what: String) -> LogFailure {
        LogFailure(
            operation: "read a segment",
            message: "\(head.feed): positions \(block.positions.lowerBound)–\(block.positions.upperBound) are damaged: "
                + what)
    }
}
