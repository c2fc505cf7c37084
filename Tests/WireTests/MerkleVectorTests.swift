import Foundation
import Testing
import Vocabulary
import Wire

@Suite("Published Merkle vectors")
struct MerkleVectorTests {
    private struct Inclusion: Decodable {
        let leafIdx: UInt64, treeSize: UInt64, root: String, leafHash: String, proof: [String]?, wantErr: Bool
    }

    private struct Consistency: Decodable {
        let size1: UInt64, size2: UInt64, root1: String, root2: String, proof: [String]?, wantErr: Bool
    }

    private struct SmallTree: Decodable {
        struct Path: Decodable { let size: Int?, index: UInt64?, size1: UInt64?, size2: Int?, path: [String] }
        let leaves: [String], leafHashes: [String], roots: [String], inclusion: [Path], consistency: [Path]
    }

    @Test func `the published inclusion proofs are verified as expected`() throws {
        let files = LogVectors.files(below: "merkle/testdata/inclusion")
        guard !files.isEmpty else { return }
        for file in files {
            let vector = try JSONDecoder().decode(Inclusion.self, from: Data(contentsOf: file))
            let verdict = MerkleProof.includes(
                leaf: LogVectors.bytes(vector.leafHash), index: vector.leafIdx, size: vector.treeSize,
                path: (vector.proof ?? []).map(LogVectors.bytes), root: LogVectors.bytes(vector.root))
            #expect(verdict == !vector.wantErr, "\(file.lastPathComponent)")
        }
        print("merkle inclusion: checked \(files.count) vectors")
        #expect(files.count >= 98)
    }

    @Test func `the published consistency proofs are verified as expected`() throws {
        let files = LogVectors.files(below: "merkle/testdata/consistency")
        guard !files.isEmpty else { return }
        for file in files {
            let vector = try JSONDecoder().decode(Consistency.self, from: Data(contentsOf: file))
            let verdict = MerkleProof.extends(
                oldSize: vector.size1, oldRoot: LogVectors.bytes(vector.root1), size: vector.size2,
                root: LogVectors.bytes(vector.root2), path: (vector.proof ?? []).map(LogVectors.bytes))
            #expect(verdict == !vector.wantErr, "\(file.lastPathComponent)")
        }
        print("merkle consistency: checked \(files.count) vectors")
        #expect(files.count >= 98)
    }

    @Test func `the small tree of RFC 6962 has the published hashes and proofs`() throws {
        guard let tree = try LogVectors.decode(SmallTree.self, from: "merkle/rfc6962-small-tree.json") else { return }
        var grown = GrownTree(leaves: 0)
        for (entry, hash) in zip(tree.leaves, tree.leafHashes) {
            let leaf = MerkleTree.leaf(try #require(Hex.decode(entry)))
            #expect(Hex.encode(leaf) == hash)
            grown.grow(leaf: leaf)
        }
        #expect(grown.roots.map { Hex.encode($0) } == tree.roots)
        for vector in tree.inclusion {
            let reader = grown.reader(size: try #require(vector.size))
            #expect(reader.inclusion(of: try #require(vector.index))?.map { Hex.encode($0) } == vector.path)
        }
        for vector in tree.consistency {
            let reader = grown.reader(size: try #require(vector.size2))
            #expect(reader.consistency(from: try #require(vector.size1))?.map { Hex.encode($0) } == vector.path)
        }
        print("small tree: checked \(tree.inclusion.count) inclusion and \(tree.consistency.count) consistency paths")
        #expect(tree.inclusion.count >= 36 && tree.consistency.count >= 36)
    }

    @Test func `the tiles and checkpoints of a published log are verified`() throws {
        let log = "tessera-log/testdata/log"
        let vkey = "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx"
        let key = try #require(NoteKey(vkey: vkey))
        guard LogVectors.read("\(log)/checkpoint") != nil else { return }
        let bundle = try #require(LogVectors.read("\(log)/tile/entries/000.p/15"))
        let entries = Self.entries(Array(bundle))
        #expect(entries.count == 15)
        var grown = GrownTree(leaves: 0)
        for size in 0...15 {
            if size > 0 { grown.grow(leaf: MerkleTree.leaf(entries[size - 1])) }
            let text = try #require(LogVectors.read("\(log)/checkpoint.\(size)"))
            let note = try SignedNote(String(decoding: text, as: UTF8.self))
            #expect(try note.verified(by: [key]) == [key])
            let checkpoint = try #require(LogCheckpoint(note.text))
            #expect(checkpoint.text == note.text)
            #expect(checkpoint.size == UInt64(size) && checkpoint.root == grown.roots[size])
            guard let address = MerkleTile.Address(level: 0, index: 0, size: UInt64(size)) else { continue }
            let tile = try #require(LogVectors.read("\(log)/\(address.path)"))
            #expect(Array(tile) == grown.tile(address))
        }
        print("published log: checked 16 checkpoints and 15 tiles")
    }

    /// Splits a bundle into its entries, each preceded by its length in two bytes, big-endian.
    private static func entries(_ bundle: [UInt8]) -> [[UInt8]] {
        var rest = bundle[...]
        var entries: [[UInt8]] = []
        while rest.count >= 2 {
            let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            entries.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return entries
    }
}
