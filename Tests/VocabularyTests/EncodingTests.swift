import TestKit
import Testing
import Vocabulary

@Suite("Base encodings")
struct EncodingTests {
    // RFC 4648, section 10; base 32 without its padding.
    private static let vectors: [(text: String, base64: String, base32: String, hex: String)] = [
        ("", "", "", ""), ("f", "Zg==", "MY", "66"), ("fo", "Zm8=", "MZXQ", "666f"),
        ("foo", "Zm9v", "MZXW6", "666f6f"), ("foob", "Zm9vYg==", "MZXW6YQ", "666f6f62"),
        ("fooba", "Zm9vYmE=", "MZXW6YTB", "666f6f6261"), ("foobar", "Zm9vYmFy", "MZXW6YTBOI", "666f6f626172"),
    ]

    @Test func `the encodings give the vectors of RFC 4648`() {
        for vector in Self.vectors {
            let bytes = Array(vector.text.utf8)
            #expect(BaseEncoding.base64.encode(bytes) == vector.base64)
            #expect(BaseEncoding.base64.decode(vector.base64) == bytes)
            #expect(BaseEncoding.base32.encode(bytes) == vector.base32)
            #expect(BaseEncoding.base32.decode(vector.base32) == bytes)
            #expect(Hex.encode(bytes) == vector.hex)
            #expect(Hex.decode(vector.hex.uppercased()) == bytes)
        }
        #expect(BaseEncoding.base64url.encode([0xFB, 0xFF]) == "-_8")
        #expect(BaseEncoding.base64url.decode("-_8") == [0xFB, 0xFF])
        #expect(BaseEncoding.base64.encode([0xFB, 0xFF]) == "+/8=")
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "Zm9=", "Zm 8", "Zm-_", "Zm9vZ", "Zg==Zg==", "Zm9v\n",
    ])
    func `a text that base 64 never produces is refused`(text: String) {
        #expect(BaseEncoding.base64.decode(text) == nil)
    }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "MZ", "my", "M1", "MY======", "MZXW6YTBOI "])
    func `a text that base 32 never produces is refused`(text: String) {
        #expect(BaseEncoding.base32.decode(text) == nil)
    }

    @Test(arguments: ["0", "0g", "0x", " 00", "+1", "００"])
    func `a text that is no sequence of hexadecimal pairs is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test func `random bytes are decoded from every encoding without a change`() {
        var random = SplitMix64(seed: 4648)
        var checked = 0
        for _ in 0..<2000 {
            let bytes = random.bytes(Int.random(in: 0...70, using: &random))
            for encoding in [BaseEncoding.base32, .base64, .base64url]
            where encoding.decode(encoding.encode(bytes)) == bytes {
                checked += 1
            }
            if Hex.decode(Hex.encode(bytes)) == bytes { checked += 1 }
        }
        print("encodings: \(checked) texts came back")
        #expect(checked == 8000)
    }
}
