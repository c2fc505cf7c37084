/// Verifies proofs of a Merkle tree (RFC 9162, sections 2.1.3.2 and 2.1.4.2); malformed input is false, not an error.
public enum MerkleProof {
    /// Returns whether `leaf` is the hash of entry `index` (from 0) of the tree of `size` entries with this root.
    public static func includes(
        leaf: [UInt8], index: UInt64, size: UInt64, path: [[UInt8]], root: [UInt8]
    ) -> Bool {
        guard index < size, areHashes(path), areHashes([leaf, root]) else { return false }
        let inner = UInt64.bitWidth - (index ^ (size - 1)).leadingZeroBitCount
        let border = inner == UInt64.bitWidth ? 0 : (index >> UInt64(inner)).nonzeroBitCount
        guard path.count == inner + border else { return false }
        var hash = leaf
        for (level, sibling) in path.enumerated() {
            let isLeft = level < inner && index >> UInt64(level) & 1 == 0
            hash = isLeft ? MerkleTree.node(hash, sibling) : MerkleTree.node(sibling, hash)
        }
        return hash == root
    }

    /// Returns whether the tree of `size` entries with `root` begins with the tree of `oldSize` entries with `oldRoot`.
    ///
    /// Returns false for an empty old tree: it is the beginning of any tree, so there is nothing to check.
    public static func extends(
        oldSize: UInt64, oldRoot: [UInt8], size: UInt64, root: [UInt8], path: [[UInt8]]
    ) -> Bool {
        guard oldSize > 0, oldSize <= size else { return false }
        guard oldSize < size else { return path.isEmpty && oldRoot == root }
        guard areHashes(path), areHashes([oldRoot, root]) else { return false }
        var rest = path[...]
        let isPerfect = oldSize.nonzeroBitCount == 1
        guard let start = isPerfect ? oldRoot : rest.popFirst() else { return false }
        var node = oldSize - 1
        var last = size - 1
        let common = (~node).trailingZeroBitCount
        node >>= UInt64(common)
        last >>= UInt64(common)
        var old = start
        var new = start
        for sibling in rest {
            guard last > 0 else { return false }
            if node & 1 == 1 || node == last {
                old = MerkleTree.node(sibling, old)
                new = MerkleTree.node(sibling, new)
                while node & 1 == 0, node > 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                new = MerkleTree.node(new, sibling)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 && old == oldRoot && new == root
    }

    private static func areHashes(_ hashes: [[UInt8]]) -> Bool {
        hashes.allSatisfy { $0.count == MerkleTree.hashBytes }
    }
}
