/// A growing Merkle tree as tiles. Only the right edge is kept in memory: at most 255 hashes of each level.
public struct MerkleTiles: Sendable {
    /// Entries in the tree.
    public private(set) var size: UInt64 = 0
    /// By level, the hashes of the tile at the right edge, one after another; empty where the last tile is full.
    private var edges: [[UInt8]] = [[]]
    /// Tiles that were filled since `takeChanged`.
    private var filled: [MerkleTile] = []
    /// Levels below this one have a changed edge.
    private var touched = 0

    /// An empty tree.
    public init() {}

    /// A tree of `size` entries whose tiles are kept elsewhere; nil if a tile is narrower than the size asks for.
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

    /// Appends the hash of an entry.
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

    /// The tiles that changed since the last call, as they are now: filled ones in the order they were filled, then the
    /// right edge from the lowest level up.
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
