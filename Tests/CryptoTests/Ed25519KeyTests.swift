import Crypto
import Foundation
import Testing

@Suite("Ed25519 keys")
struct Ed25519KeyTests {
    /// Tests 1, 2 and 3 of RFC 8032, 7.1.
    static let vectors: [(seed: String, publicKey: String, message: String, signature: String)] = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            """
            e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b
            d25bf5f0595bbe24655141438e7a100b
            """
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            """
            92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c
            387b2eaeb4302aeeb00d291612bb0c00
            """
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            """
            6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659
            4a7c15e9716ed28dc027beceea1ec40a
            """
        ),
    ]

    @Test func `an Ed25519 key gives the signatures published in RFC 8032`() throws {
        for vector in Self.vectors {
            let key = try Ed25519Key(seed: hex(vector.seed))
            #expect(key.publicKey == hex(vector.publicKey))
            #expect(key.seed == hex(vector.seed))
            #expect(key.sign(hex(vector.message)) == hex(vector.signature))
            #expect(
                Ed25519Key.verify(
                    signature: hex(vector.signature), message: hex(vector.message), publicKey: key.publicKey))
        }
    }

    @Test func `a signature with one flipped bit is not valid`() {
        let key = Ed25519Key.generate()
        let message = Array("a box of tomatoes".utf8)
        let signature = key.sign(message)
        #expect(Ed25519Key.verify(signature: signature, message: message, publicKey: key.publicKey))
        var refused = 0
        for bit in 0..<512
        where !Ed25519Key.verify(signature: flipping(bit, of: signature), message: message, publicKey: key.publicKey) {
            refused += 1
        }
        print("Ed25519: \(refused) of 512 turned bits refused")
        #expect(refused == 512)
    }

    @Test func `a signature is not valid for another message, another key or another length`() {
        let key = Ed25519Key.generate()
        let message = Random.bytes(40)
        let signature = key.sign(message)
        for bit in 0..<320 {
            #expect(
                !Ed25519Key.verify(
                    signature: signature, message: flipping(bit, of: message), publicKey: key.publicKey))
        }
        let other = Ed25519Key.generate().publicKey
        #expect(!Ed25519Key.verify(signature: signature, message: message, publicKey: other))
        for count in [0, 1, 63, 65, 1_000] {
            let odd = Array((signature + signature + Random.bytes(1_000)).prefix(count))
            #expect(!Ed25519Key.verify(signature: odd, message: message, publicKey: key.publicKey))
        }
        for count in [0, 31, 33] {
            let odd = Array((key.publicKey + key.publicKey).prefix(count))
            #expect(!Ed25519Key.verify(signature: signature, message: message, publicKey: odd))
        }
    }

    @Test func `an Ed25519 key cannot be made of a seed that is not 32 bytes long`() {
        for count in [0, 31, 33, 64] {
            #expect(throws: CryptoError.self) { try Ed25519Key(seed: Random.bytes(count)) }
        }
    }

    /// The edge cases of C2SP/CCTV: ed25519vectors.json. Like Go, OpenSSL refuses an R that is not canonical and a
    /// residue of low order. It accepts the rest, also public keys that are of low order or not canonical. Other
    /// verifiers differ.
    @Test func `verification follows OpenSSL's rule in the known edge cases`() throws {
        struct Vector: Decodable {
            let number: Int
            let key, sig, msg: String
            let flags: [String]?
        }
        guard let data = sharedData("tlog/ed25519/ed25519vectors.json") else { return }
        let vectors = try JSONDecoder().decode([Vector].self, from: data)
        var accepted = 0
        for vector in vectors {
            let flags = Set(vector.flags ?? [])
            let verdict = Ed25519Key.verify(
                signature: hex(vector.sig), message: Array(vector.msg.utf8), publicKey: hex(vector.key))
            let rule = flags.isDisjoint(with: ["non_canonical_R", "low_order_residue"])
            #expect(verdict == rule, "vector \(vector.number): \(flags.sorted())")
            accepted += verdict ? 1 : 0
        }
        print("Ed25519 edge cases: \(vectors.count) checked, \(accepted) accepted")
        #expect(vectors.count >= 914)
        #expect(accepted >= 208)
    }

    @Test func `an Ed25519 key can be used by many threads at once`() async {
        let key = Ed25519Key.generate()
        let good = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    (0..<100).count { round in
                        let message = Array("\(worker) \(round)".utf8)
                        return Ed25519Key.verify(
                            signature: key.sign(message), message: message, publicKey: key.publicKey)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(good == 800)
    }
}
