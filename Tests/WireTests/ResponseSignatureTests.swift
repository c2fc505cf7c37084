import Crypto
import Testing
import Vocabulary

@testable import Wire

@Suite("Signatures of public responses")
struct ResponseSignatureTests {
    private static let target = ResponseSignature.Target("/v1/lots/TOM-1A/passport?label=1")
    private static let body = Array("{\"hub\":\"farm\"}".utf8)
    private static let headers = [(name: "Content-Type", value: "application/json"), (name: "ETag", value: "\"a\"")]
    private static let now: Int64 = 1_800_000_000

    private let key: Ed25519Key

    init() throws { key = try Ed25519Key(seed: Array(0..<32)) }

    private func signed() -> [(name: String, value: String)] {
        Self.headers
            + ResponseSignature.fields(
                of: Self.target, headers: Self.headers, body: Self.body, key: key, created: Self.now)
    }

    private func verify(
        _ target: ResponseSignature.Target, _ headers: [(name: String, value: String)],
        body: [UInt8] = body, key other: [UInt8]? = nil, now: Int64 = now + 60
    ) throws(ResponseSignature.Refusal) -> ResponseSignature.Proof {
        try ResponseSignature.verify(
            target, headers: headers, body: body, publicKey: other ?? key.publicKey, now: now)
    }

    @Test func `a signed response is proven with its fields and its time, wherever it comes from`() throws {
        let proof = try verify(Self.target, signed() + [("Age", "7"), ("X-Evil", "1")])
        #expect(proof.created == Self.now)
        #expect(proof.fields == ["content-type", "etag", "content-digest"], "other fields are not proven")
    }

    @Test func `the identifier of a key is its thumbprint`() throws {
        // RFC 8037, appendix A.3.
        let x = try #require(BaseEncoding.base64url.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        #expect(ResponseSignature.identifier(of: x) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func `another address, body, field, key or time is refused`() throws {
        let right = signed()
        var refused = 0
        func refuse(_ body: () throws(ResponseSignature.Refusal) -> ResponseSignature.Proof) {
            #expect(throws: ResponseSignature.Refusal.self) { try body() }
            refused += 1
        }
        refuse { () throws(ResponseSignature.Refusal) in try verify(.init("/v1/lots/TOM-2/passport?label=1"), right) }
        refuse { () throws(ResponseSignature.Refusal) in try verify(.init("/v1/lots/TOM-1A/passport"), right) }
        refuse { () throws(ResponseSignature.Refusal) in try verify(Self.target, right, body: Self.body + [0x20]) }
        refuse { () throws(ResponseSignature.Refusal) in
            try verify(Self.target, right, key: Ed25519Key.generate().publicKey)
        }
        refuse { () throws(ResponseSignature.Refusal) in
            try verify(Self.target, right, now: Self.now + ResponseSignature.seconds)
        }
        refuse { () throws(ResponseSignature.Refusal) in try verify(Self.target, right, now: Self.now - 301) }
        for index in right.indices {
            var changed = right
            changed[index].value += "x"
            refuse { () throws(ResponseSignature.Refusal) in try verify(Self.target, changed) }
            changed.remove(at: index)
            refuse { () throws(ResponseSignature.Refusal) in try verify(Self.target, changed) }
            refuse { () throws(ResponseSignature.Refusal) in try verify(Self.target, right + [right[index]]) }
        }
        print("response signatures: \(refused) changes refused")
        #expect(refused == 6 + 3 * right.count)
    }

    @Test func `no byte of the signature's fields can be changed`() throws {
        let right = signed()
        var refused = 0
        for index in right.indices where right[index].name.hasPrefix("Signature") {
            let value = Array(right[index].value.utf8)
            for place in value.indices {
                var bytes = value
                bytes[place] ^= 1
                var changed = right
                changed[index].value = String(decoding: bytes, as: UTF8.self)
                #expect(throws: ResponseSignature.Refusal.self, "\(changed[index])") {
                    try verify(Self.target, changed)
                }
                refused += 1
            }
        }
        print("response signatures: \(refused) changed bytes refused")
        #expect(refused > 200)
    }
}
