import Crypto

/// The hashes of a Merkle tree over log entries (RFC 6962, section 2.1), each of 32 bytes.
public enum MerkleTree {
    /// Bytes of a hash.
    public static let hashBytes = 32

    /// The root of a tree without leaves: SHA-256 of nothing.
    public static let emptyRoot = SHA256.hash([])

    /// Returns the hash of an entry: SHA-256(0x00 ‖ entry).
    public static func leaf(_ entry: [UInt8]) -> [UInt8] {
        SHA256.hash(prefix: 0x00, entry)
    }

    /// Returns the hash of two subtrees: SHA-256(0x01 ‖ left ‖ right).
    public static func node(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        SHA256.hash(prefix: 0x01, left, right)
    }

    /// Returns the root of concatenated hashes; requires that their number is a power of two.
    static func perfectRoot(_ hashes: ArraySlice<UInt8>) -> [UInt8] {
        var level = split(hashes)
        while level.count > 1 {
            level = stride(from: 0, to: level.count - 1, by: 2).map { node(level[$0], level[$0 + 1]) }
        }
        return level.first ?? emptyRoot
    }

    /// Splits concatenated hashes; an incomplete one at the end is dropped.
    static func split(_ hashes: ArraySlice<UInt8>) -> [[UInt8]] {
        (0..<hashes.count / hashBytes).map { number in
            let start = hashes.startIndex + number * hashBytes
            return Array(hashes[start..<start + hashBytes])
        }
    }

    /// Returns the largest power of two below `count`, where a tree of more than one leaf is split.
    static func split(_ count: UInt64) -> UInt64 {
        1 << UInt64(63 - (count - 1).leadingZeroBitCount)
    }
}
