import Crypto
import TestKit
import Testing
import Vocabulary

@testable import Wire

@Suite("Requests that only a farm can read")
struct ObliviousHTTPTests {
    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    /// RFC 9458, Appendix A.
    @Test func `the example of RFC 9458 is written and read, byte for byte`() throws {
        let key = try X25519Key(scalar: bytes("3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a"))
        let ephemeral = try X25519Key(
            scalar: bytes("bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73"))
        let configuration = try bytes(
            "01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500080001000100010003")
        let publicKey = try ObliviousHTTP.PublicKey(configurations: [0, UInt8(configuration.count)] + configuration)
        #expect(publicKey == ObliviousHTTP.PublicKey(identifier: 1, bytes: key.publicKey))
        let message = try bytes(
            "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a1"
                + "0c695d858c40a026e7965e7d86b83dd440b2c0185204b4d63525")
        let opened = try ObliviousHTTP.open(message, for: key, identifier: 1)
        #expect(opened.request == BinaryHTTP.Request(method: "GET", authority: "example.com", path: "/"))
        let response = try bytes("c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd")
        let read = try opened.response.open(response)
        #expect(read == BinaryHTTP.Response(status: 200))
        let sealed = try ObliviousHTTP.seal(opened.request, to: publicKey, ephemeral: ephemeral)
        // The example leaves out the empty sections at the end; both are the same message.
        #expect(Array(sealed.message.prefix(39)) == Array(message.prefix(39)) && sealed.response == opened.response)
    }

    @Test func `a request and its response cross, and nobody else can read or change them`() throws {
        let key = X25519Key.generate()
        let request = BinaryHTTP.Request(
            method: "POST", authority: "farm.example", path: "/v1/sync?a=b",
            fields: [
                BinaryHTTP.Field("authorization", "Bearer secret"),
                BinaryHTTP.Field("content-type", "application/json"),
            ],
            body: Array(#"{"changes":{}}"#.utf8) + [UInt8](repeating: 32, count: 20_000))
        let publicKey = try ObliviousHTTP.PublicKey(
            configurations: ObliviousHTTP.PublicKey(identifier: 7, bytes: key.publicKey).configurations)
        let (message, responseKey) = try ObliviousHTTP.seal(request, to: publicKey, ephemeral: .generate())
        let opened = try ObliviousHTTP.open(message, for: key, identifier: 7)
        #expect(opened.request == request)
        let response = BinaryHTTP.Response(
            status: 201, fields: [BinaryHTTP.Field("set-cookie", "a=b")], body: Array("done".utf8))
        let sealed = try opened.response.seal(response, nonce: Random.bytes(ObliviousHTTP.nonceSize))
        let stored = try #require(ObliviousHTTP.ResponseKey(bytes: responseKey.bytes))
        #expect(try stored.open(sealed) == response)
        var refused = 0
        for index in stride(from: 0, to: message.count, by: 97) {
            var changed = message
            changed[index] ^= 4
            do { _ = try ObliviousHTTP.open(changed, for: key, identifier: 7) } catch { refused += 1 }
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 4
            do { _ = try stored.open(changed) } catch { refused += 1 }
        }
        print("sealed: \(refused) changed messages refused")
        #expect(refused == (message.count + 96) / 97 + sealed.count)
        #expect(throws: ObliviousHTTP.Refusal.self) {
            try ObliviousHTTP.open(message, for: X25519Key.generate(), identifier: 7)
        }
        #expect(throws: ObliviousHTTP.Refusal.self) { try ObliviousHTTP.open(message, for: key, identifier: 8) }
        let text = String(decoding: message, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("sync"))
    }

    @Test func `bytes that are no message are refused, and never trap`() {
        var random = SplitMix64(seed: 3)
        let whole = BinaryHTTP.write(
            BinaryHTTP.Request(method: "GET", path: "/", fields: [BinaryHTTP.Field("a", "b")], body: [1, 2, 3]))
        var read = 0
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            do { _ = try BinaryHTTP.readRequest(bytes) } catch { read += 1 }
            do { _ = try BinaryHTTP.readResponse(bytes) } catch { read += 1 }
        }
        #expect(read > 20_000)
        for configurations in [[], [0], [0, 9, 1], [0, 2, 1, 1], [UInt8](repeating: 255, count: 80)] {
            #expect(throws: ObliviousHTTP.Refusal.self) {
                try ObliviousHTTP.PublicKey(configurations: configurations)
            }
        }
    }
}
