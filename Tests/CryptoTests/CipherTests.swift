import Crypto
import Foundation
import Testing

@Suite("AES-CCM")
struct AESCCMTests {
    struct Vector: Sendable {
        let key, nonce, aad, plaintext, ciphertext, tag: String
    }

    /// Examples 1 to 3 of NIST SP 800-38C and packet vector 1 of RFC 3610.
    static let vectors = [
        Vector(
            key: "404142434445464748494a4b4c4d4e4f", nonce: "10111213141516", aad: "0001020304050607",
            plaintext: "20212223", ciphertext: "7162015b", tag: "4dac255d"),
        Vector(
            key: "404142434445464748494a4b4c4d4e4f", nonce: "1011121314151617",
            aad: "000102030405060708090a0b0c0d0e0f", plaintext: "202122232425262728292a2b2c2d2e2f",
            ciphertext: "d2a1f0e051ea5f62081a7792073d593d", tag: "1fc64fbfaccd"),
        Vector(
            key: "404142434445464748494a4b4c4d4e4f", nonce: "101112131415161718191a1b",
            aad: "000102030405060708090a0b0c0d0e0f10111213",
            plaintext: "202122232425262728292a2b2c2d2e2f3031323334353637",
            ciphertext: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5", tag: "484392fbc1b09951"),
        Vector(
            key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", nonce: "00000003020100a0a1a2a3a4a5", aad: "0001020304050607",
            plaintext: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
            ciphertext: "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384", tag: "17e8d12cfdf926e0"),
    ]

    @Test(arguments: vectors)
    func `AES-CCM gives the ciphertexts and tags of the published vectors`(_ vector: Vector) throws {
        let sealed = try AESCCM.seal(
            key: hex(vector.key), nonce: hex(vector.nonce), plaintext: hex(vector.plaintext), aad: hex(vector.aad),
            tagLength: hex(vector.tag).count)
        #expect(sealed.ciphertext == hex(vector.ciphertext))
        #expect(sealed.tag == hex(vector.tag))
        let opened = try AESCCM.open(
            key: hex(vector.key), nonce: hex(vector.nonce), ciphertext: sealed.ciphertext, tag: sealed.tag,
            aad: hex(vector.aad))
        #expect(opened == hex(vector.plaintext))
    }

    @Test(arguments: vectors) func `AES-CCM refuses to open a message with one flipped bit`(_ vector: Vector) {
        let (key, nonce, aad) = (hex(vector.key), hex(vector.nonce), hex(vector.aad))
        let (ciphertext, tag) = (hex(vector.ciphertext), hex(vector.tag))
        for bit in 0..<(ciphertext.count * 8) {
            #expect(throws: CryptoError.self) {
                try AESCCM.open(key: key, nonce: nonce, ciphertext: flipping(bit, of: ciphertext), tag: tag, aad: aad)
            }
        }
        for bit in 0..<(tag.count * 8) {
            #expect(throws: CryptoError.self) {
                try AESCCM.open(key: key, nonce: nonce, ciphertext: ciphertext, tag: flipping(bit, of: tag), aad: aad)
            }
        }
        for bit in 0..<(aad.count * 8) {
            #expect(throws: CryptoError.self) {
                try AESCCM.open(key: key, nonce: nonce, ciphertext: ciphertext, tag: tag, aad: flipping(bit, of: aad))
            }
        }
    }

    @Test func `AES-CCM opens what it sealed for every length of key, nonce, tag, text and additional data`() throws {
        var count = 0
        for keyLength in [16, 24, 32] {
            for nonceLength in 7...13 {
                for tagLength in stride(from: 4, through: 16, by: 2) {
                    for textLength in [0, 1, 15, 16, 17, 100] {
                        let (key, nonce) = (Random.bytes(keyLength), Random.bytes(nonceLength))
                        let (text, aad) = (Random.bytes(textLength), Random.bytes(textLength % 3 * 9))
                        let sealed = try AESCCM.seal(
                            key: key, nonce: nonce, plaintext: text, aad: aad, tagLength: tagLength)
                        #expect(sealed.ciphertext.count == textLength && sealed.tag.count == tagLength)
                        let opened = try AESCCM.open(
                            key: key, nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag, aad: aad)
                        #expect(opened == text)
                        #expect(throws: CryptoError.self) {
                            try AESCCM.open(
                                key: key, nonce: nonce, ciphertext: sealed.ciphertext,
                                tag: flipping(0, of: sealed.tag), aad: aad)
                        }
                        count += 1
                    }
                }
            }
        }
        print("AES-CCM: \(count) combinations of lengths")
        #expect(count >= 882)
    }

    @Test func `AES-CCM refuses lengths that CCM does not allow`() {
        let (key, nonce, tag) = (Random.bytes(16), Random.bytes(13), Random.bytes(4))
        for count in [0, 15, 17, 33] {
            #expect(throws: CryptoError.self) {
                try AESCCM.open(key: Random.bytes(count), nonce: nonce, ciphertext: [], tag: tag)
            }
        }
        for count in [0, 6, 14] {
            #expect(throws: CryptoError.self) {
                try AESCCM.open(key: key, nonce: Random.bytes(count), ciphertext: [], tag: tag)
            }
        }
        for count in [0, 2, 3, 5, 18] {
            #expect(throws: CryptoError.self) {
                try AESCCM.open(key: key, nonce: nonce, ciphertext: [], tag: Random.bytes(count))
            }
            #expect(throws: CryptoError.self) {
                try AESCCM.seal(key: key, nonce: nonce, plaintext: [], tagLength: count)
            }
        }
        // A nonce of 13 bytes leaves two bytes for the length of the text.
        #expect(throws: CryptoError.self) {
            try AESCCM.seal(key: key, nonce: nonce, plaintext: [UInt8](repeating: 0, count: 65_536), tagLength: 4)
        }
        #expect(throws: Never.self) {
            try AESCCM.seal(key: key, nonce: nonce, plaintext: [UInt8](repeating: 0, count: 65_535), tagLength: 4)
        }
    }

    /// Advertisements of BTHome devices with their keys; a tag of 4 bytes and a nonce of 13.
    @Test func `AES-CCM opens the published advertisements of BTHome devices`() throws {
        struct Advertisement: Decodable {
            struct Input: Decodable { let address: String }
            struct State: Decodable {
                let bindkey: String?
                let bindkey_verified: Bool
                let decryption_failed: Bool
                let encryption_scheme: String
            }
            let hex: String
            let input: Input
            let state: State
        }
        guard let data = sharedData("ingest/ble/bthome.jsonl") else { return }
        let decoder = JSONDecoder()
        let all = try data.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(Advertisement.self, from: $0) }
        var (opened, shut) = (0, 0)
        for advertisement in all where advertisement.state.encryption_scheme == "bthome_bindkey" {
            guard let key = advertisement.state.bindkey else { continue }
            let bytes = hex(advertisement.hex)
            let address = hex(advertisement.input.address.filter { $0 != ":" })
            // Version 2 begins with a byte in which 0x40 is the version and 0x02 marks a following address.
            let second = bytes[0] & 0xE0 == 0x40
            let head = second ? (bytes[0] & 0x02 == 0 ? 1 : 7) : 0
            let counter = Array(bytes.suffix(8).prefix(4))
            let service: [UInt8] = second ? [0xD2, 0xFC, bytes[0]] : [0x1E, 0x18]
            let ciphertext = Array(bytes[head..<(bytes.count - 8)])
            do {
                let text = try AESCCM.open(
                    key: hex(key), nonce: address + service + counter, ciphertext: ciphertext,
                    tag: Array(bytes.suffix(4)), aad: second ? [] : [0x11])
                #expect(advertisement.state.bindkey_verified)
                #expect(text.count == ciphertext.count)
                opened += 1
            } catch {
                #expect(advertisement.state.decryption_failed)
                shut += 1
            }
        }
        print("BTHome: \(opened) opened, \(shut) stayed shut")
        #expect(opened >= 5 && shut >= 3)
    }
}

@Suite("AES-GCM")
struct AESGCMTests {
    /// Test case 16 of the GCM specification (McGrew and Viega).
    @Test func `AES-GCM gives the ciphertext and tag of the published test case`() throws {
        let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let plaintext = hex(
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
            b16aedf5aa0de657ba637b39
            """)
        let sealed = hex(
            """
            cafebabefacedbaddecaf888
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
            c5f61e6393ba7a0abcc9f662
            76fc6ece0f4e1768cddf8853bb2d551b
            """)
        let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        #expect(try AESGCM.open(key: key, sealed: sealed, aad: aad) == plaintext)
    }

    @Test func `AES-GCM opens what it sealed and gives another ciphertext each time`() throws {
        let key = Random.bytes(32)
        var seen: Set<[UInt8]> = []
        for count in [0, 1, 15, 16, 17, 1_000, 100_000] {
            let (text, aad) = (Random.bytes(count), Random.bytes(count % 5))
            for _ in 0..<3 {
                let sealed = try AESGCM.seal(key: key, plaintext: text, aad: aad)
                #expect(sealed.count == count + AESGCM.overhead)
                #expect(try AESGCM.open(key: key, sealed: sealed, aad: aad) == text)
                seen.insert(sealed)
            }
        }
        #expect(seen.count == 21)
    }

    @Test func `AES-GCM refuses to open a message with one flipped bit`() throws {
        let (key, aad) = (Random.bytes(32), Random.bytes(8))
        let sealed = try AESGCM.seal(key: key, plaintext: Random.bytes(20), aad: aad)
        for bit in 0..<(sealed.count * 8) {
            #expect(throws: CryptoError(operation: "AES-GCM open", reason: "the tag does not fit")) {
                try AESGCM.open(key: key, sealed: flipping(bit, of: sealed), aad: aad)
            }
        }
        for bit in 0..<256 {
            #expect(throws: CryptoError.self) { try AESGCM.open(key: flipping(bit, of: key), sealed: sealed, aad: aad) }
        }
        for bit in 0..<64 {
            #expect(throws: CryptoError.self) { try AESGCM.open(key: key, sealed: sealed, aad: flipping(bit, of: aad)) }
        }
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.self) {
                try AESGCM.open(key: key, sealed: Array(sealed.prefix(count)), aad: aad)
            }
        }
        #expect(throws: CryptoError.self) { try AESGCM.seal(key: Random.bytes(16), plaintext: []) }
    }
}

@Suite("AES-128")
struct AES128Tests {
    @Test func `AES-128 encrypts a block as published in FIPS 197`() {
        let key = hex("000102030405060708090a0b0c0d0e0f")
        let block = hex("00112233445566778899aabbccddeeff")
        #expect(AES128.encryptBlock(key: key, block: block) == hex("69c4e0d86a7b0430d8cdb78070b4c55a"))
    }
}
