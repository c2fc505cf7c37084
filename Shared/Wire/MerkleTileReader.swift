/// Computes roots and proofs of a Merkle tree from its tiles (RFC 9162, section 2.1).
///
/// A proof of a tree of a million entries reads three tiles. A reader requests each tile from its source once.
public final class MerkleTileReader<Failure: Error> {
    private let size: UInt64
    private let source: (MerkleTile.Address) throws(Failure) -> [UInt8]
    private var tiles: [MerkleTile.Address: [UInt8]] = [:]
    /// Whether a tile was narrower than the tree's size requires.
    private var isIncomplete = false

    /// Creates a reader of the tree of `size` entries; `source` returns at least as many hashes as an address is wide.
    public init(size: UInt64, source: @escaping (MerkleTile.Address) throws(Failure) -> [UInt8]) {
        self.size = size
        self.source = source
    }

    /// Returns the root; nil if a tile is too narrow.
    public func root() throws(Failure) -> [UInt8]? {
        guard size > 0 else { return MerkleTree.emptyRoot }
        let root = try hash(0..<size)
        return isIncomplete ? nil : root
    }

    /// Returns the hash of entry `index` (from 0); nil outside of the tree or if a tile is too narrow.
    public func leaf(_ index: UInt64) throws(Failure) -> [UInt8]? {
        guard index < size else { return nil }
        let leaf = try hash(index..<index + 1)
        return isIncomplete ? nil : leaf
    }

    /// Returns the inclusion proof of entry `index` (from 0); nil outside of the tree or if a tile is too narrow.
    public func inclusion(of index: UInt64) throws(Failure) -> [[UInt8]]? {
        guard index < size else { return nil }
        var path: [[UInt8]] = []
        var range = 0..<size
        while range.upperBound - range.lowerBound > 1 {
            let middle = Self.middle(of: range)
            if index < middle {
                path.append(try hash(middle..<range.upperBound))
                range = range.lowerBound..<middle
            } else {
                path.append(try hash(range.lowerBound..<middle))
                range = middle..<range.upperBound
            }
        }
        return isIncomplete ? nil : path.reversed()
    }

    /// Returns the consistency proof from the tree of `oldSize` entries to this one.
    ///
    /// Returns nil for an old tree that is empty or larger, or if a tile is too narrow.
    public func consistency(from oldSize: UInt64) throws(Failure) -> [[UInt8]]? {
        guard oldSize > 0, oldSize <= size else { return nil }
        var path: [[UInt8]] = []
        var range = 0..<size
        // Whether the old tree's part of the range is the old tree itself, whose root the verifier has.
        var isWhole = true
        while oldSize < range.upperBound {
            let middle = Self.middle(of: range)
            if oldSize <= middle {
                path.append(try hash(middle..<range.upperBound))
                range = range.lowerBound..<middle
            } else {
                path.append(try hash(range.lowerBound..<middle))
                range = middle..<range.upperBound
                isWhole = false
            }
        }
        if !isWhole { path.append(try hash(range)) }
        return isIncomplete ? nil : path.reversed()
    }

    /// Returns the hash of a range that starts at a subtree.
    private func hash(_ range: Range<UInt64>) throws(Failure) -> [UInt8] {
        let count = range.upperBound - range.lowerBound
        guard count.nonzeroBitCount != 1 else {
            let level = count.trailingZeroBitCount
            return try hash(level: level, index: range.lowerBound >> UInt64(level))
        }
        let middle = Self.middle(of: range)
        return MerkleTree.node(try hash(range.lowerBound..<middle), try hash(middle..<range.upperBound))
    }

    /// Returns the index at which a range of more than one entry is split.
    private static func middle(of range: Range<UInt64>) -> UInt64 {
        range.lowerBound + MerkleTree.split(range.upperBound - range.lowerBound)
    }

    /// Returns the root of a perfect subtree of 2^level entries.
    private func hash(level: Int, index: UInt64) throws(Failure) -> [UInt8] {
        let first = index << UInt64(level % 8)
        let address = MerkleTile.Address(level: level / 8, index: first >> 8, size: size)
        let start = Int(first & 255) * MerkleTree.hashBytes
        let end = start + (1 << (level % 8)) * MerkleTree.hashBytes
        guard let address, try tile(address).count >= end else {
            isIncomplete = true
            return MerkleTree.emptyRoot
        }
        return MerkleTree.perfectRoot(try tile(address)[start..<end])
    }

    private func tile(_ address: MerkleTile.Address) throws(Failure) -> [UInt8] {
        if let tile = tiles[address] { return tile }
        let tile = try source(address)
        tiles[address] = tile
        return tile
    }
}
