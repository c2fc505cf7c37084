import Crypto
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// Messages and digests of FIPS 180-2, appendix B, and of the empty message.
    static let vectors: [(message: String, digest: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test func `SHA-256 gives the digests published in the standard`() {
        for vector in Self.vectors {
            #expect(SHA256.hash(Array(vector.message.utf8)) == hex(vector.digest))
        }
    }

    @Test func `the digest does not depend on how the bytes are divided`() {
        let bytes = Random.bytes(200)
        let whole = SHA256.hash(bytes)
        for cut in 0...200 {
            let (head, tail) = (Array(bytes[..<cut]), Array(bytes[cut...]))
            #expect(SHA256.hash(head, tail) == whole)
            #expect(SHA256.hash(head, [], tail) == whole)
            #expect(SHA256.hash(head.span, tail.span) == whole)
            #expect(unsafe SHA256.hash(head.span.bytes, tail.span.bytes) == whole)
            var stream = SHA256Stream()
            stream.update(head)
            var copy = stream
            stream.update(tail)
            #expect(stream.finish() == whole)
            unsafe copy.update(tail.span.bytes)
            #expect(copy.finish() == whole)
        }
        #expect(SHA256.hash(prefix: bytes[0], Array(bytes[1...])) == whole)
        #expect(SHA256.hash(prefix: bytes[0], Array(bytes[1..<9]), Array(bytes[9...])) == whole)
        #expect(SHA256.hash(bytes.span) == whole)
        #expect(SHA256.hash() == hex(Self.vectors[0].digest))
    }

    @Test func `a SHA-256 stream starts a new digest after it has finished`() {
        var stream = SHA256Stream()
        stream.update(Array("x".utf8))
        _ = stream.finish()
        stream.update(Array("abc".utf8))
        #expect(stream.finish() == hex(Self.vectors[1].digest))
    }

    @Test func `SHA-256 is fast enough to hash every event`() {
        let event = Random.bytes(512)
        let hash = Random.bytes(32)
        let clock = ContinuousClock()
        let rounds = 20_000
        let time = clock.measure {
            for _ in 0..<rounds { _ = SHA256.hash(hash, event) }
        }
        print("SHA-256 of 32 + 512 bytes: \(time / rounds) each")
        #expect(time < .seconds(10))
    }
}

@Suite("SHA-1")
struct SHA1Tests {
    @Test func `SHA-1 gives the digests published in the standard`() {
        #expect(SHA1.hash(Array("abc".utf8)) == hex("a9993e364706816aba3e25717850c26c9cd0d89d"))
        #expect(SHA1.hash(Array("a".utf8), [], Array("bc".utf8)) == SHA1.hash(Array("abc".utf8)))
        #expect(SHA1.hash() == hex("da39a3ee5e6b4b0d3255bfef95601890afd80709"))
    }
}

@Suite("HMAC-SHA-256")
struct HMACSHA256Tests {
    /// Test cases 1, 2, 3, 4, 6 and 7 of RFC 4231.
    static let vectors: [(key: [UInt8], message: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test func `HMAC-SHA-256 gives the codes published in RFC 4231`() {
        for vector in Self.vectors {
            #expect(HMACSHA256.code(key: vector.key, message: vector.message) == hex(vector.code))
        }
    }

    @Test func `the constant-time comparison compares every byte`() {
        let code = HMACSHA256.code(key: [], message: [])
        #expect(code == hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
        #expect(constantTimeEqual(code, code))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual(code, Array(code.dropLast())))
        for bit in 0..<256 { #expect(!constantTimeEqual(code, flipping(bit, of: code))) }
    }
}

@Suite("Random bytes")
struct RandomTests {
    @Test func `random bytes have the requested length and never repeat`() {
        for count in [0, 1, 16, 32, 100_000] { #expect(Random.bytes(count).count == count) }
        let drawn = Set((0..<1_000).map { _ in Random.bytes(16) })
        #expect(drawn.count == 1_000)
        let ones = Random.bytes(100_000).reduce(0) { $0 + $1.nonzeroBitCount }
        #expect((395_000...405_000).contains(ones))
    }

    @Test func `wiping empties an array of secret bytes`() {
        var secret = Random.bytes(32)
        wipe(&secret)
        #expect(secret.isEmpty)
        wipe(&secret)
    }
}
