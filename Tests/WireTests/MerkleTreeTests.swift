import TestKit
import Testing
import Wire

@Suite("Merkle trees")
struct MerkleTreeTests {
    @Test func `every entry of every small tree has a valid inclusion proof`() throws {
        let tree = GrownTree(leaves: 130)
        var checked = 0
        for size in 1...130 {
            let reader = tree.reader(size: size)
            #expect(reader.root() == tree.roots[size])
            #expect(GrownTree.root(of: tree.leaves.prefix(size)) == tree.roots[size])
            for index in 0..<size {
                let path = try #require(reader.inclusion(of: UInt64(index)))
                let proven = MerkleProof.includes(
                    leaf: tree.leaves[index], index: UInt64(index), size: UInt64(size), path: path,
                    root: tree.roots[size])
                #expect(proven, "entry \(index) of \(size)")
                checked += 1
            }
            #expect(reader.inclusion(of: UInt64(size)) == nil)
        }
        print("inclusion: checked \(checked) proofs")
        #expect(checked == 8515)
    }

    @Test func `every earlier size of every small tree has a valid consistency proof`() throws {
        let tree = GrownTree(leaves: 130)
        var checked = 0
        for size in 1...130 {
            let reader = tree.reader(size: size)
            for oldSize in 1...size {
                let path = try #require(reader.consistency(from: UInt64(oldSize)))
                let proven = MerkleProof.extends(
                    oldSize: UInt64(oldSize), oldRoot: tree.roots[oldSize], size: UInt64(size), root: tree.roots[size],
                    path: path)
                #expect(proven, "\(oldSize) of \(size)")
                checked += 1
            }
            #expect(reader.consistency(from: 0) == nil && reader.consistency(from: UInt64(size + 1)) == nil)
        }
        print("consistency: checked \(checked) proofs")
        #expect(checked == 8515)
    }

    @Test(arguments: [11 as UInt64, 12, 13]) func `a proof with a flipped bit is not valid`(seed: UInt64) throws {
        let tree = GrownTree(leaves: 130)
        var chance = SplitMix64(seed: seed)
        var checked = 0
        for _ in 0..<1500 {
            let size = Int.random(in: 2...130, using: &chance)
            let index = Int.random(in: 0..<size, using: &chance)
            let reader = tree.reader(size: size)
            var parts = [tree.leaves[index], tree.roots[size]]
            parts += try #require(reader.inclusion(of: UInt64(index)))
            Self.flip(&parts, using: &chance)
            #expect(
                !MerkleProof.includes(
                    leaf: parts[0], index: UInt64(index), size: UInt64(size), path: Array(parts.dropFirst(2)),
                    root: parts[1]))
            let oldSize = Int.random(in: 1..<size, using: &chance)
            parts = [tree.roots[oldSize], tree.roots[size]]
            parts += try #require(reader.consistency(from: UInt64(oldSize)))
            Self.flip(&parts, using: &chance)
            #expect(
                !MerkleProof.extends(
                    oldSize: UInt64(oldSize), oldRoot: parts[0], size: UInt64(size), root: parts[1],
                    path: Array(parts.dropFirst(2))))
            checked += 2
        }
        print("flipped bits: checked \(checked)")
    }

    @Test func `a tree is restored from its tiles across levels`() throws {
        let count = 66_000
        var whole = MerkleTiles()
        var kept: [GrownTree.Place: [UInt8]] = [:]
        var roots: [Int: [UInt8]] = [:]
        let marks: Set<Int> = [255, 256, 257, 511, 65_535, 65_536, 65_537, count]
        var leaves: [[UInt8]] = []
        for number in 1...count {
            leaves.append(MerkleTree.leaf(Array("\(number)".utf8)))
            whole.append(leaf: leaves[number - 1])
            // Tiles are taken at irregular intervals, so that several are filled in between.
            if number % 700 == 0 || marks.contains(number) {
                for tile in whole.takeChanged() {
                    kept[GrownTree.Place(level: tile.level, index: tile.index)] = tile.hashes
                }
            }
            guard marks.contains(number) else { continue }
            roots[number] = whole.root
            let source = { (address: MerkleTile.Address) in
                kept[GrownTree.Place(level: address.level, index: address.index)] ?? []
            }
            let again = try #require(MerkleTiles(size: UInt64(number), tiles: source))
            #expect(again.root == whole.root)
            #expect(GrownTree.root(of: leaves[...]) == whole.root)
        }
        let source = { (address: MerkleTile.Address) in
            kept[GrownTree.Place(level: address.level, index: address.index)] ?? []
        }
        for (size, root) in roots {
            let reader = MerkleTileReader(size: UInt64(size), source: source)
            #expect(reader.root() == root)
            for index in [0, 254, size / 2, size - 1] {
                let path = try #require(reader.inclusion(of: UInt64(index)))
                #expect(
                    MerkleProof.includes(
                        leaf: leaves[index], index: UInt64(index), size: UInt64(size), path: path, root: root))
                #expect(reader.leaf(UInt64(index)) == leaves[index])
            }
            let last = MerkleTileReader(size: UInt64(count), source: source)
            let path = try #require(last.consistency(from: UInt64(size)))
            #expect(
                MerkleProof.extends(
                    oldSize: UInt64(size), oldRoot: root, size: UInt64(count), root: whole.root, path: path))
        }
        #expect(kept.keys.filter { $0.level == 0 }.count == 258 && kept.keys.filter { $0.level == 2 }.count == 1)
    }

    @Test func `a missing tile gives no root and no proof`() {
        let reader = MerkleTileReader(size: 300) { (address: MerkleTile.Address) -> [UInt8] in
            [UInt8](repeating: 0, count: address.index == 1 ? 32 : 256 * 32)
        }
        #expect(reader.inclusion(of: 280) == nil)
        #expect(reader.root() == nil)
        #expect(MerkleTiles(size: 300) { (_: MerkleTile.Address) -> [UInt8] in [] } == nil)
    }

    @Test(arguments: [
        (70_000, 0, 273, "tile/0/273.p/112"), (70_000, 0, 0, "tile/0/000"), (70_000, 1, 1, "tile/1/001.p/17"),
        (70_000, 2, 0, "tile/2/000.p/1"), (1_234_067 * 256 + 8, 0, 1_234_067, "tile/0/x001/x234/067.p/8"),
    ])
    func `tiles are named as in C2SP`(size: UInt64, level: Int, index: UInt64, path: String) {
        #expect(MerkleTile.Address(level: level, index: index, size: size)?.path == path)
        #expect(MerkleTile.Address(path: path) == MerkleTile.Address(level: level, index: index, size: size))
    }

    @Test(arguments: [
        "", "tile", "tile/0", "tile/8/000", "tile/00/000", "tile/0/0", "tile/0/0000", "tile/0/x000/001",
        "tile/0/001/002",
        "tile/0/x001", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p", "tile/0/+12",
        "tile/0/000/", "/tile/0/000", "tile/-1/000", "tile/0/x999/x999/x999/x999/x999/x999/999", "tile/0/x000/x001/002",
    ])
    func `any other tile name is refused`(path: String) {
        #expect(MerkleTile.Address(path: path) == nil)
    }

    @Test func `a tree has no tiles beyond its end`() {
        #expect(MerkleTile.Address(level: 0, index: 1, size: 256) == nil)
        #expect(MerkleTile.Address(level: 1, index: 0, size: 255) == nil)
        #expect(MerkleTile.Address(level: -1, index: 0, size: 255) == nil)
        #expect(MerkleTile.Address(level: 0, index: .max, size: .max) == nil)
        #expect(!MerkleProof.includes(leaf: [], index: .max, size: .max, path: [], root: []))
        let hash = MerkleTree.emptyRoot
        #expect(!MerkleProof.includes(leaf: hash, index: .max - 1, size: .max, path: [hash], root: hash))
        #expect(!MerkleProof.extends(oldSize: .max - 1, oldRoot: hash, size: .max, root: hash, path: [hash, hash]))
    }

    private static func flip(_ parts: inout [[UInt8]], using chance: inout SplitMix64) {
        let part = Int.random(in: parts.indices, using: &chance)
        let bit = Int.random(in: 0..<256, using: &chance)
        parts[part][bit / 8] ^= 1 << UInt8(bit % 8)
    }
}
