import Crypto
import TestKit
import Testing
import Wire

@Suite("A proof to take away")
struct LogProofTests {
    private static let origin = "farm.example/ledger"

    private static func proof(extra: [UInt8]? = nil) throws -> (proof: LogProof, leaf: [UInt8], keys: [NoteKey]) {
        let tree = GrownTree(leaves: 77)
        let signers = [
            try #require(NoteSigner(name: origin, Ed25519Key.generate())),
            try #require(NoteSigner(name: origin, P256Key.generate())),
        ]
        let text = LogCheckpoint(origin: origin, size: 77, root: tree.roots[77]).text
        let path = try #require(tree.reader(size: 77).inclusion(of: 41))
        let note = try SignedNote(signing: text, with: signers)
        return (LogProof(index: 41, path: path, checkpoint: note, extra: extra), tree.leaves[41], signers.map(\.key))
    }

    @Test(arguments: [nil, [], [1, 2, 3]] as [[UInt8]?]) func `says the same again`(extra: [UInt8]?) throws {
        let (proof, leaf, keys) = try Self.proof(extra: extra)
        let read = try LogProof(proof.text)
        #expect(read == proof && read.text == proof.text)
        #expect(try read.verified(leaf: leaf, origin: Self.origin, by: [keys[1]])?.size == 77)
        #expect(proof.text.hasPrefix("c2sp.org/tlog-proof@v1\n" + (extra == nil ? "index 41\n" : "extra ")))
    }

    @Test func `proves one entry of one log`() throws {
        let (proof, leaf, keys) = try Self.proof()
        #expect(try proof.verified(leaf: MerkleTree.leaf([1]), origin: Self.origin, by: keys) == nil)
        #expect(try proof.verified(leaf: leaf, origin: "another.example/ledger", by: keys) == nil)
        let moved = LogProof(index: 42, path: proof.path, checkpoint: proof.checkpoint)
        #expect(try moved.verified(leaf: leaf, origin: Self.origin, by: keys) == nil)
        #expect(throws: SignedNote.Refusal.unsigned) {
            try proof.verified(leaf: leaf, origin: Self.origin, by: Self.proof().keys)
        }
    }

    @Test func `is not believed with a flipped bit`() throws {
        let (proof, leaf, keys) = try Self.proof()
        let text = Array(proof.text.utf8)
        var chance = SplitMix64(seed: 3)
        for _ in 0..<600 {
            var bytes = text
            bytes[Int.random(in: bytes.indices, using: &chance)] ^= 1 << UInt8.random(in: 0..<7, using: &chance)
            do {
                let read = try LogProof(String(decoding: bytes, as: UTF8.self))
                guard try read.verified(leaf: leaf, origin: Self.origin, by: keys) != nil else { continue }
                // A flip in one signature's name or key id leaves the other; all that is proven is unchanged.
                #expect(read.index == proof.index && read.path == proof.path)
                #expect(read.checkpoint.text == proof.checkpoint.text)
            } catch {
                continue
            }
        }
    }

    @Test(arguments: [
        "", "c2sp.org/tlog-proof@v1", "c2sp.org/tlog-proof@v2\nindex 0\n\n", "c2sp.org/tlog-proof@v1\nindex 01\n\n",
        "c2sp.org/tlog-proof@v1\nindex -1\n\n", "c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\n",
        "c2sp.org/tlog-proof@v1\nextra *\nindex 0\n\n", "c2sp.org/tlog-proof@v1\nextra\nindex 0\n\n",
        "c2sp.org/tlog-proof@v1\nindex 0\n\nlog\n0\n",
    ])
    func `is nothing else`(text: String) {
        #expect(throws: SignedNote.Refusal.self) { try LogProof(text) }
    }
}
