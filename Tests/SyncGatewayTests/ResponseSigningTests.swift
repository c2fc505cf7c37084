import HTTP
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

@Suite("Signatures of public responses by the gateway")
struct ResponseSigningTests {
    private static let asking = [("Accept-Signature", ResponseSignature.request)]

    private func publicKey(_ harness: GatewayHarness) throws -> [UInt8] {
        let jwk = try harness.call("GET", "/v1/publisher-key").json
        let key = try #require(BaseEncoding.base64url.decode(try jwk.get("x", as: String.self)))
        #expect(try jwk.get("kid", as: String.self) == ResponseSignature.identifier(of: key))
        return key
    }

    @Test func `a public response is signed for those who ask, and the key outlives a restart`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let key = try publicKey(harness)
            let plain = try harness.call("GET", "/v1/sync")
            #expect(plain.headers["Signature"] == nil)
            let signed = try harness.call("GET", "/v1/sync?scope=shop", headers: Self.asking)
            #expect(signed.status == 200)
            let proof = try ResponseSignature.verify(
                ResponseSignature.Target("/v1/sync?scope=shop"), headers: signed.headers.fields, body: signed.body,
                publicKey: key, now: harness.now.microseconds / 1_000_000)
            #expect(proof.fields.isSuperset(of: ["content-type", "furrow-cache-control", "content-digest"]))
            try harness.restart()
            #expect(try publicKey(harness) == key)
        }
    }

    @Test func `what is not for every visitor is never signed`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            var unsigned = 0
            for (path, token) in [
                ("/v1/me", "demo"), ("/v1/sync", "demo"), ("/v1/accounts", "demo"), ("/v1/none", nil),
            ] {
                let response = try harness.call("GET", path, as: token, headers: Self.asking)
                #expect(response.headers["Signature"] == nil, "\(path)")
                unsigned += 1
            }
            #expect(unsigned == 4)
        }
    }
}
