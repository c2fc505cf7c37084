import Crypto
public import EventSourcing
import System
import Vocabulary
import Wire
import Zstd

/// A sealed part of a journal, in a file of its own: a signed note (``SegmentHead``), and behind it the blocks,
/// each a zstd frame of entries, one a line: the event, or where it was let go `-` and its hash in base64.
///
/// Every byte of the file is covered: the note by its signature, each block by its SHA-256 in the note, the length by
/// the lengths there. The chain is not kept for each event but made anew from the bytes. Only the block that is asked
/// for is read. Where events are let go the whole file is replaced (``PrunedRun``).
public struct Segment {
    public let head: SegmentHead
    /// The note as it is signed and stored.
    public let note: [UInt8]
    /// Gives bytes of the file: from where, how many.
    private let fetch: (Int, Int) throws(SystemError) -> [UInt8]

    /// Opens the segment of a file.
    public init(path: String) throws(LogFailure) {
        let (beginning, size) = try Self.reading { () throws(SystemError) in
            (try FileReader(path: path).read(SignedNote.noteBytesMax), try File.size(path))
        }
        try self.init(beginning, size: size) { (offset, count) throws(SystemError) in
            try FileReader(path: path, from: offset).read(count)
        }
    }

    /// Opens a segment that is at hand.
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
                message: "its head says \(note.count + head.bodyBytes) bytes, and there are \(size)")
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

    /// Where the note ends: behind the first line after the blank one.
    private static func noteBytes(_ bytes: [UInt8]) -> Int {
        let newline = UInt8(ascii: "\n")
        var isBlank = false
        for index in bytes.indices.dropFirst() where bytes[index] == newline {
            if isBlank { return index + 1 }
            if bytes[index - 1] == newline { isBlank = true }
        }
        return bytes.count
    }

    /// The block that holds a position of this segment.
    public func block(holding position: Position) -> Int? {
        head.blocks.firstIndex { $0.positions.contains(position) }
    }

    /// The entries of a block, with their chain. Nothing is given of a block with a changed byte: whose positions it
    /// holds is said.
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

    /// Looks at everything, the Merkle root, too, where all that it stands for is there.
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
            if head.isPruned, line.first == Self.letGo {
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

    /// How an entry is written of which only the hash is left.
    static func line(ofPruned entry: Entry) -> [UInt8] {
        [letGo] + Array(BaseEncoding.base64.encode(entry.hash).utf8)
    }

    /// What the line of such an entry begins with; no event does.
    private static let letGo = UInt8(ascii: "-")

    private func damage(of block: SegmentHead.Block, _ what: String) -> LogFailure {
        LogFailure(
            operation: "read a segment",
            message: "\(head.feed): positions \(block.positions.lowerBound)–\(block.positions.upperBound) are damaged: "
                + what)
    }
}
