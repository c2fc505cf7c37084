import Crypto
import Foundation
import Testing

@Suite("P-256 keys")
struct P256KeyTests {
    /// The key and the two signatures over SHA-256 of RFC 6979, A.2.5.
    static let scalar = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
    static let point = """
        04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
           7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
        """
    static let signatures: [(message: String, signature: String)] = [
        (
            "sample",
            """
            EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
            F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
            """
        ),
        (
            "test",
            """
            F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
            019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083
            """
        ),
    ]

    /// Keys made with `openssl ecparam`, `genpkey` and `pkcs8`: another curve, another algorithm, an encrypted one.
    static let foreign = ["secp384r1", "secp256k1"]

    @Test func `a P-256 key verifies the signatures published in RFC 6979`() throws {
        let key = try P256Key(scalar: hex(Self.scalar))
        #expect(key.publicKey == hex(Self.point))
        #expect(key.scalar == hex(Self.scalar))
        for vector in Self.signatures {
            let signature = hex(vector.signature)
            let message = Array(vector.message.utf8)
            #expect(P256Key.verify(signature: signature, message: message, publicKey: key.publicKey))
            #expect(!P256Key.verify(signature: signature, message: message + [0], publicKey: key.publicKey))
        }
    }

    @Test func `a P-256 key gives a new valid signature of a message each time`() throws {
        let key = P256Key.generate()
        let message = Random.bytes(300)
        var seen: Set<[UInt8]> = []
        for _ in 0..<200 {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(P256Key.verify(signature: signature, message: message, publicKey: key.publicKey))
            #expect(try P256Signature.raw(fromDER: P256Signature.der(fromRaw: signature)) == signature)
            seen.insert(signature)
        }
        #expect(seen.count == 200)
    }

    @Test func `a signature with one flipped bit is not valid`() throws {
        let key = P256Key.generate()
        let message = Array("a box of tomatoes".utf8)
        let signature = try key.sign(message)
        var refused = 0
        for bit in 0..<512
        where !P256Key.verify(signature: flipping(bit, of: signature), message: message, publicKey: key.publicKey) {
            refused += 1
        }
        print("P-256: \(refused) of 512 turned bits refused")
        #expect(refused == 512)
    }

    @Test func `a public key off the curve or of another length verifies nothing`() throws {
        let key = P256Key.generate()
        let message = Random.bytes(10)
        let signature = try key.sign(message)
        for bit in 0..<520 {
            let point = flipping(bit, of: key.publicKey)
            #expect(!P256Key.verify(signature: signature, message: message, publicKey: point))
        }
        for count in [0, 1, 33, 64, 66] {
            let odd = Array((key.publicKey + [0]).prefix(count))
            #expect(!P256Key.verify(signature: signature, message: message, publicKey: odd))
        }
        for odd in [[], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 64)] {
            #expect(!P256Key.verify(signature: odd, message: message, publicKey: key.publicKey))
        }
    }

    @Test func `a P-256 key is restored from every encoding`() throws {
        let key = P256Key.generate()
        let message = Random.bytes(10)
        let copies = [
            try P256Key(scalar: key.scalar), try P256Key(pem: key.pem()), try P256Key(pkcs8: key.pkcs8()),
        ]
        for copy in copies {
            #expect(copy.publicKey == key.publicKey)
            #expect(copy.scalar == key.scalar)
            #expect(copy.spki == key.spki)
            #expect(P256Key.verify(signature: try copy.sign(message), message: message, publicKey: key.publicKey))
        }
        #expect(key.spki.count == 91)
        #expect(key.publicKey.count == 65)
    }

    @Test func `a scalar out of range is refused`() {
        let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
        for scalar in [hex(order), [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [], [1]] {
            #expect(throws: CryptoError.self) { try P256Key(scalar: scalar) }
        }
        #expect(throws: Never.self) {
            try P256Key(scalar: [UInt8](repeating: 0, count: 31) + [1])
        }
    }

    @Test func `bytes that are no P-256 key are refused`() throws {
        let key = P256Key.generate()
        let der = try key.pkcs8()
        for count in 0..<der.count {
            #expect(throws: CryptoError.self) { try P256Key(pkcs8: Array(der.prefix(count))) }
        }
        for text in ["", "tomato", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"] {
            #expect(throws: CryptoError.self) { try P256Key(pem: text) }
        }
        #expect(throws: CryptoError.self) { try P256Key(pem: String(repeating: "x", count: 70_000)) }
        var survived = 0
        for bit in 0..<(der.count * 8) {
            do {
                survived += try P256Key(pkcs8: flipping(bit, of: der)).publicKey == key.publicKey ? 1 : 0
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        print("P-256 PKCS#8: \(der.count * 8) turned bits read without harm, \(survived) of them to the same key")
    }

    @Test func `P-256 keys are exchanged with the openssl command in both directions`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "key.pem").path
            guard try run("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file]) != nil
            else { return }
            let sec1 = try String(contentsOfFile: file, encoding: .utf8)
            let key = try P256Key(pem: sec1)
            let spki = try #require(try run("openssl", ["pkey", "-in", file, "-pubout", "-outform", "PEM"])).output
            #expect(spki.contains(Data(key.spki).base64EncodedString().prefix(64)))

            let message = Random.bytes(100)
            let paths = ["message", "signature", "public.pem"].map { folder.appending(path: $0) }
            try Data(message).write(to: paths[0])
            try Data(P256Signature.der(fromRaw: key.sign(message))).write(to: paths[1])
            try Data(spki.utf8).write(to: paths[2])
            let verdict = try run(
                "openssl", ["dgst", "-sha256", "-verify", paths[2].path, "-signature", paths[1].path, paths[0].path])
            #expect(verdict?.output == "Verified OK\n")

            let sealed = folder.appending(path: "sealed.pem").path
            _ = try run("openssl", ["pkcs8", "-topk8", "-in", file, "-out", sealed, "-passout", "pass:tomato"])
            let encrypted = try String(contentsOfFile: sealed, encoding: .utf8)
            #expect(encrypted.contains("ENCRYPTED"))
            #expect(throws: CryptoError.self) { try P256Key(pem: encrypted) }
            for curve in Self.foreign {
                _ = try run("openssl", ["ecparam", "-name", curve, "-genkey", "-noout", "-out", file])
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(throws: CryptoError.self) { try P256Key(pem: text) }
            }
            _ = try run("openssl", ["genpkey", "-algorithm", "ed25519", "-out", file])
            let edwards = try String(contentsOfFile: file, encoding: .utf8)
            #expect(throws: CryptoError.self) { try P256Key(pem: edwards) }
        }
    }

    @Test func `a P-256 key can be used by many threads at once`() async throws {
        let key = P256Key.generate()
        let good = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var good = 0
                    for round in 0..<50 {
                        let message = Array("\(worker) \(round)".utf8)
                        let signature = try key.sign(message)
                        let fits = P256Key.verify(signature: signature, message: message, publicKey: key.publicKey)
                        good += fits ? 1 : 0
                    }
                    return good
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(good == 400)
    }
}

@Suite("DER encoding of P-256 signatures")
struct P256SignatureTests {
    @Test func `a P-256 signature has exactly one DER encoding`() throws {
        let raw = hex(P256KeyTests.signatures[1].signature)
        let der = try P256Signature.der(fromRaw: raw)
        #expect(try P256Signature.raw(fromDER: der) == raw)
        let refused: [[UInt8]] = [
            [], [0x30], [0x30, 0x00], der + [0], Array(der.dropLast()), [0x31] + der.dropFirst(),
            // A length in two bytes, a number with a needless zero, a negative number, an empty number.
            [0x30, 0x81] + der.dropFirst(),
            [0x30, 0x07, 0x02, 0x02, 0x00, 0x01, 0x02, 0x01, 0x01],
            [0x30, 0x06, 0x02, 0x01, 0x81, 0x02, 0x01, 0x01],
            [0x30, 0x05, 0x02, 0x00, 0x02, 0x01, 0x01],
            [0x30, 0x06, 0x02, 0x7F, 0x01, 0x02, 0x01, 0x01],
        ]
        for bytes in refused {
            #expect(throws: CryptoError.self) { try P256Signature.raw(fromDER: bytes) }
        }
        #expect(throws: CryptoError.self) { try P256Signature.der(fromRaw: Array(raw.dropLast())) }
    }

    @Test func `small, large and zero numbers are encoded and decoded without a change`() throws {
        let small = [UInt8](repeating: 0, count: 31) + [1]
        let large = [UInt8](repeating: 0xFF, count: 32)
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(try P256Signature.der(fromRaw: small + small) == [0x30, 6, 2, 1, 1, 2, 1, 1])
        for raw in [small + large, large + small, large + large, zero + zero, zero + small] {
            #expect(try P256Signature.raw(fromDER: P256Signature.der(fromRaw: raw)) == raw)
        }
    }

    @Test func `decoding random bytes never crashes`() throws {
        let der = try P256Signature.der(fromRaw: Random.bytes(64))
        for bit in 0..<(der.count * 8) {
            do {
                let changed = flipping(bit, of: der)
                #expect(try P256Signature.der(fromRaw: P256Signature.raw(fromDER: changed)) == changed)
            } catch {
                #expect(error.reason == "malformed")
            }
        }
    }
}
