import Crypto
import EventSourcing
import Wire
import Zstd

/// Compresses and signs one run of a journal, entry by entry. Only compressed blocks are held in memory.
struct SegmentWriter: ~Copyable {
    let feed: String
    private let epoch: Epoch
    private let first: Position
    private let before: [UInt8]
    private var next: Position
    /// The chain hash before `next`.
    private var hash: [UInt8]
    private var tree = MerkleTiles()
    private var blocks: [SegmentHead.Block] = []
    private var body: [UInt8] = []
    /// The lines of the current block, not compressed yet.
    private var lines: [UInt8] = []
    private var opening: (first: Position, before: [UInt8])
    private var compressor: Compressor
    /// The sealed head of the run that is being pruned; nil if the run is sealed for the first time.
    private let sealed: SegmentHead?

    /// Rewrites a sealed run without the bytes of some of its entries.
    init(pruning head: SegmentHead) throws(LogFailure) {
        try self.init(
            feed: head.feed, epoch: head.epoch, from: head.positions.lowerBound, after: head.before, sealed: head)
    }

    init(
        feed: String, epoch: Epoch, from first: Position, after hash: [UInt8], sealed: SegmentHead? = nil
    ) throws(LogFailure) {
        self.sealed = sealed
        self.feed = feed
        self.epoch = epoch
        self.first = first
        (before, self.hash) = (hash, hash)
        next = first
        opening = (first, hash)
        do throws(ZstdError) {
            compressor = try Compressor(level: StoreLimits.sealLevel)
        } catch {
            throw LogFailure(operation: "seal", message: "\(error)")
        }
    }

    /// Appends the next entry. Throws unless its position and hash follow from the entry before.
    mutating func add(_ entry: Entry) throws(LogFailure) {
        let isPruned = entry.isPruned && sealed != nil
        guard entry.position == next, isPruned || entry.hash == Chain.next(after: hash, entry.bytes) else {
            throw LogFailure(operation: "seal", message: "the chain of \(feed) breaks at \(next)")
        }
        guard !entry.bytes.contains(Self.newline) else {
            throw LogFailure(operation: "seal", message: "the event of \(feed) at \(next) is not one line")
        }
        let isFull =
            next - opening.first == StoreLimits.blockEvents
            || lines.count + entry.bytes.count >= StoreLimits.blockBytes
        if isFull { try pack() }
        tree.append(leaf: MerkleTree.leaf(entry.bytes))
        lines += isPruned ? Segment.line(ofPruned: entry) : entry.bytes
        lines.append(Self.newline)
        hash = entry.hash
        next += 1
    }

    /// Returns the head, the signed note and the bytes of the whole file.
    mutating func finish(
        signing signer: NoteSigner
    ) throws(LogFailure) -> (head: SegmentHead, note: [UInt8], file: [UInt8]) {
        try pack()
        guard next > first else { throw LogFailure(operation: "seal", message: "there is nothing to seal") }
        let head = SegmentHead(
            feed: feed, epoch: epoch, positions: first...(next - 1), before: before, after: hash,
            root: sealed?.root ?? tree.root, key: signer.key, blocks: blocks, isPruned: sealed != nil)
        do throws(CryptoError) {
            let note = Array(try SignedNote(signing: head.text, with: [signer]).note.utf8)
            return (head, note, note + body)
        } catch {
            throw LogFailure(operation: "seal", message: "\(error.operation): \(error.reason)")
        }
    }

    private static let newline = UInt8(ascii: "\n")

    private mutating func pack() throws(LogFailure) {
        guard !lines.isEmpty else { return }
        let packed: [UInt8]
        do throws(ZstdError) {
            packed = try compressor.compress(lines)
        } catch {
            throw LogFailure(operation: "seal", message: "\(error)")
        }
        blocks.append(
            SegmentHead.Block(
                positions: opening.first...(next - 1), bytes: packed.count, unpacked: lines.count,
                digest: SHA256.hash(packed), before: opening.before))
        body += packed
        lines.removeAll(keepingCapacity: true)
        opening = (next, hash)
    }
}
