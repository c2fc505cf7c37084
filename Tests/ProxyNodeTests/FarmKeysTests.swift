import Crypto
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import ProxyNode
@testable import Sharing

@Suite("The farms' keys of a node")
struct FarmKeysTests {
    private static let farm = "https://farm.test"

    private func jwk(_ key: [UInt8]) -> [UInt8] {
        Array("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(BaseEncoding.base64url.encode(key))\"}".utf8)
    }

    @Test func `a key is kept across restarts, and another one of the farm replaces it`() throws {
        try withTemporaryDirectory { folder in
            let (first, second) = (Ed25519Key.generate().publicKey, Ed25519Key.generate().publicKey)
            var keys = FarmKeys(path: folder + "/keys.json")
            let changes = try [first, first, second].map { key in try keys.take(jwk(key), of: Self.farm) }
            #expect(changes == [true, false, true], "the same key is no change")
            #expect(
                FarmKeys(path: folder + "/keys.json").identifier(of: Self.farm)
                    == ResponseSignature.identifier(of: second))
        }
    }

    @Test(arguments: [
        "", "<html>Log in</html>", "[]", "{}", "{\"crv\":\"P-256\",\"x\":\"AAAA\"}",
        "{\"crv\":\"Ed25519\",\"x\":\"AAAA\"}", "{\"crv\":\"Ed25519\",\"x\":7}",
    ])
    func `what is no key changes nothing, and a damaged file counts as empty`(body: String) throws {
        try withTemporaryDirectory { folder in
            let key = Ed25519Key.generate().publicKey
            var keys = FarmKeys(path: folder + "/keys.json")
            let changes = try [jwk(key), Array(body.utf8)].map { body in try keys.take(body, of: Self.farm) }
            #expect(changes == [true, false] && keys[Self.farm] == key)
            try File.writeAtomically(folder + "/keys.json", Array(body.utf8), mode: 0o600)
            #expect(FarmKeys(path: folder + "/keys.json")[Self.farm] == nil)
        }
    }
}
