import Crypto
import Testing
import Vocabulary

@Suite("The primitives of push messages")
struct PushCryptoTests {
    /// RFC 5869, test case 1; the first 32 of its 42 bytes.
    @Test func `HKDF derives the key of RFC 5869`() {
        let derived = HKDFSHA256.derive(
            salt: (0...12).map { $0 }, secret: [UInt8](repeating: 0x0b, count: 22), info: (0xf0...0xf9).map { $0 },
            count: 32)
        #expect(Hex.encode(derived) == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
    }

    /// The GCM specification of McGrew and Viega, test case 2.
    @Test func `AES-128-GCM seals the specification's example`() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        let sealed = try AES128GCM.seal(key: zeros, nonce: Array(zeros.prefix(12)), plaintext: zeros)
        #expect(Hex.encode(sealed) == "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf")
        #expect(throws: CryptoError.self) { try AES128GCM.seal(key: zeros, nonce: zeros, plaintext: zeros) }
    }

    @Test func `two P-256 keys agree on one secret, and a point off the curve is refused`() throws {
        let (one, other) = (P256Key.generate(), P256Key.generate())
        let secret = try one.sharedSecret(with: other.publicKey)
        #expect(try secret == other.sharedSecret(with: one.publicKey) && secret.count == 32)
        #expect(try secret != P256Key.generate().sharedSecret(with: one.publicKey))
        var off = other.publicKey
        off[64] ^= 1
        #expect(!P256Key.isPublicKey(off) && !P256Key.isPublicKey(Array(off.dropLast())))
        #expect(throws: CryptoError.self) { try one.sharedSecret(with: off) }
    }
}
