import Crypto
import Foundation
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("Signed notes")
struct SignedNoteTests {
    private struct Example: Decodable { let vkey: String, note: String, valid: Bool }

    private static let text = "farm.example/ledger\n7\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=\n"

    private static func signers() throws -> [NoteSigner] {
        [
            try #require(NoteSigner(name: "farm.example/ledger", Ed25519Key.generate())),
            try #require(NoteSigner(name: "farm.example/ledger", P256Key.generate())),
        ]
    }

    @Test func `the example of the specification is read and verified`() throws {
        guard let examples = try LogVectors.decode([Example].self, from: "signed-note-example.json") else { return }
        for example in examples {
            let key = try #require(NoteKey(vkey: example.vkey))
            #expect(key.vkey == example.vkey && key.kind == .ed25519)
            let note = try SignedNote(example.note)
            #expect(note.note == example.note && note.text == "This is an example message.\n")
            #expect(try note.verified(by: [key]) == [key])
            #expect(example.valid)
        }
        print("signed note: checked \(examples.count) examples")
        #expect(examples.count >= 1)
    }

    @Test func `a note can have signatures of both algorithms`() throws {
        let signers = try Self.signers()
        let note = try SignedNote(signing: Self.text, with: signers)
        let read = try SignedNote(note.note)
        #expect(read == note)
        #expect(try read.verified(by: signers.map(\.key)) == signers.map(\.key))
        #expect(read.note.split(separator: "\n").count == 5)
        for signer in signers {
            #expect(NoteKey(vkey: signer.key.vkey) == signer.key)
            #expect(try read.verified(by: [signer.key]) == [signer.key])
        }
        #expect(signers[1].key.id == Array(SHA256.hash(signers[1].key.publicKey).prefix(4)))
        // DER, as the algorithm requires.
        #expect(read.signatures[1].bytes.first == 0x30)
    }

    @Test func `signatures of unknown keys are ignored, and one of a known key is required`() throws {
        let signers = try Self.signers()
        let strangers = try Self.signers()
        let note = try SignedNote(signing: Self.text, with: strangers + signers)
        #expect(try note.verified(by: [signers[1].key]) == [signers[1].key])
        let other = try SignedNote(signing: Self.text, with: strangers)
        #expect(throws: SignedNote.Refusal.unsigned) { try other.verified(by: signers.map(\.key)) }
    }

    @Test func `a note with a flipped bit is not verified`() throws {
        let signers = try Self.signers()
        let note = try SignedNote(signing: Self.text, with: signers)
        var chance = SplitMix64(seed: 5)
        var refused = 0
        for _ in 0..<400 {
            var bytes = Array(note.note.utf8)
            bytes[Int.random(in: bytes.indices, using: &chance)] ^= 1 << UInt8.random(in: 0..<7, using: &chance)
            let text = String(decoding: bytes, as: UTF8.self)
            do {
                let read = try SignedNote(text)
                let found = try read.verified(by: signers.map(\.key))
                // A flip in a name or key id makes a signature unknown; the text is still signed.
                #expect(read.text == Self.text && found.count == 1)
            } catch {
                refused += 1
            }
        }
        print("flipped notes: refused \(refused) of 400")
        #expect(refused >= 250)
    }

    @Test func `a forged signature is distinguished from a missing one`() throws {
        let signers = try Self.signers()
        let note = try SignedNote(signing: Self.text, with: signers)
        for number in 0..<2 {
            let lines = note.note.replacing("\n7\n", with: "\n8\n")
            let forged = try SignedNote(lines)
            #expect(throws: SignedNote.Refusal.forged(name: "farm.example/ledger")) {
                try forged.verified(by: [signers[number].key])
            }
        }
    }

    @Test(arguments: [
        "", "\n", "text\n", "text\n\n", "\n— a AAAAAAA=\n", "text\n\n— a AAAAAAA=", "text\n\n- a AAAAAAA=\n",
        "text\n\n— a+b AAAAAAA=\n", "text\n\n—  AAAAAAA=\n", "text\n\n— a AAAA\n", "text\n\n— a A\n", "text\n\n— a\n",
        "text\n\n— a AAAAAAA= \n", "te\txt\n\n— a AAAAAAA=\n", "text\r\n\n— a AAAAAAA=\n", "text\n— a AAAAAAA=\n",
        "text\n\n— a\u{2003}b AAAAAAA=\n",
    ])
    func `a malformed note is refused`(note: String) {
        #expect(throws: SignedNote.Refusal.self) { try SignedNote(note) }
    }

    @Test func `paragraphs of the text are preserved`() throws {
        let signers = try Self.signers()
        let note = try SignedNote(signing: "one\n\ntwo\n", with: signers)
        #expect(try SignedNote(note.note).text == "one\n\ntwo\n")
        #expect(throws: SignedNote.Refusal.self) {
            try SignedNote("text\n\n" + String(repeating: "— a AAAAAAA=\n", count: SignedNote.signaturesMax + 1))
        }
    }

    @Test func `a damaged vkey is refused`() {
        let sound = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
        #expect(NoteKey(vkey: sound) != nil)
        for damaged in [
            "", "a", "a+b", "a+b+c", "example.com/fop+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/foo+530d903a+BekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U==",
        ] {
            #expect(NoteKey(vkey: damaged) == nil, "\(damaged)")
        }
    }

    @Test(arguments: [
        "", "log\n", "log\n7\n", "log\n7\nAAAA\n", "log\n07\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=\n",
        "log\n7\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=", "\n7\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=\n",
        "log\n-7\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=\n",
        "log\n7\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=\n\n",
    ])
    func `a text with a malformed line is no checkpoint`(text: String) {
        #expect(LogCheckpoint(text) == nil)
    }
}
