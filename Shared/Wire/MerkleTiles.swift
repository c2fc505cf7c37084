/// A growing Merkle tree as tiles; only the right edge is in memory: at most 255 hashes of each level.
///
/// ```
/// var tiles = MerkleTiles()
/// tiles.append(leaf: entry.leaf)
/// for tile in tiles.takeChanged() { try store(tile) }
/// ```
public struct MerkleTiles: Sendable {
    /// Entries in the tree.
    public private(set) var size: UInt64 = 0
    /// For each level, the concatenated hashes of the rightmost tile; empty if the last tile is full.
    private var edges: [[UInt8]] = [[]]
    /// Tiles filled since the last `takeChanged`.
    private var filled: [MerkleTile] = []
    /// Levels below this one have a changed edge.
    private var touched = 0

    /// Creates an empty tree.
    public init() {}

    /// Restores a tree of `size` entries from stored tiles; nil if a tile is narrower than the size requires.
    public init?<Failure: Error>(
        size: UInt64, tiles: (MerkleTile.Address) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        self.size = size
        edges = []
        for level in 0...MerkleTile.levelMax {
            let hashes = size >> UInt64(8 * level)
            guard hashes > 0 || level == 0 else { break }
            let width = Int(hashes & 255)
            var edge: [UInt8] = []
            if width > 0 {
                let found = try tiles(MerkleTile.Address(level: level, index: hashes >> 8, width: width))
                guard found.count >= width * MerkleTree.hashBytes else { return nil }
                edge = Array(found.prefix(width * MerkleTree.hashBytes))
            }
            edges.append(edge)
        }
    }

    /// Appends the hash of an entry; requires 32 bytes.
    public mutating func append(leaf: [UInt8]) {
        precondition(leaf.count == MerkleTree.hashBytes, "a leaf is a hash of 32 bytes")
        size += 1
        var hash = leaf
        for level in 0...MerkleTile.levelMax {
            if level == edges.count { edges.append([]) }
            edges[level] += hash
            touched = max(touched, level + 1)
            guard edges[level].count == MerkleTile.widthMax * MerkleTree.hashBytes else { return }
            let index = (size >> UInt64(8 * level)) >> 8
            filled.append(MerkleTile(level: level, index: index - 1, hashes: edges[level]))
            hash = MerkleTree.perfectRoot(edges[level][...])
            edges[level].removeAll(keepingCapacity: true)
        }
    }

    /// Returns the tiles that changed since the last call, in their current state.
    ///
    /// First the filled ones in the order in which they were filled, then the right edge from the lowest level up.
    public mutating func takeChanged() -> [MerkleTile] {
        var changed = filled
        for level in 0..<touched where !edges[level].isEmpty {
            let index = (size >> UInt64(8 * level)) >> 8
            changed.append(MerkleTile(level: level, index: index, hashes: edges[level]))
        }
        filled.removeAll()
        touched = 0
        return changed
    }

    /// The root of the whole tree; 32 bytes.
    public var root: [UInt8] {
        var perfect: [[UInt8]] = []
        for edge in edges.reversed() {
            var rest = edge[...]
            while !rest.isEmpty {
                let count = rest.count / MerkleTree.hashBytes
                let largest = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
                perfect.append(MerkleTree.perfectRoot(rest.prefix(largest * MerkleTree.hashBytes)))
                rest = rest.dropFirst(largest * MerkleTree.hashBytes)
            }
        }
        guard var root = perfect.popLast() else { return MerkleTree.emptyRoot }
        while let left = perfect.popLast() { root = MerkleTree.node(left, root) }
        return root
    }
}
