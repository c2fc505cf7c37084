import Crypto
import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

@Suite("Payment notices")
struct PaymentTests {
    private static let secret = Array("a shared secret".utf8)
    private static let notice = #"{"payment":"p1","event":"captured","amount":{"minor":1290,"currency":"EUR"}}"#

    private func headers(
        _ harness: GatewayHarness, _ body: String = notice, id: String = "n1", secret: [UInt8] = secret, ago: Int64 = 0
    ) -> [(String, String)] {
        let stamp = String(harness.now.microseconds / 1_000_000 - ago)
        let code = HMACSHA256.code(key: secret, message: Array("\(id).\(stamp).\(body)".utf8))
        return [
            ("webhook-id", id), ("webhook-timestamp", stamp),
            ("webhook-signature", "v1,AAAA v1,\(BaseEncoding.base64.encode(code))"), ("Idempotency-Key", id),
        ]
    }

    @Test func `a signed notice is forwarded under its id, so that a repetition is recorded once`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            for _ in 0..<2 {
                let id = try harness.send("POST", "/v1/payments/notices", Self.notice, headers: headers(harness))
                let last = harness.asks.popLast()
                let asked = try #require(last)
                #expect(asked.to == "catalog-orders" && asked.verb == "tell-payment" && asked.key == "notice/n1")
                #expect(asked.actor == .service("sync-gateway") && asked.text == Self.notice)
                try harness.answer(asked, 200, #"{"payment":"p1","news":true}"#)
                #expect(try harness.response(id).status == 200)
                try harness.pass(seconds: 2)
            }
        }
    }

    @Test func `a notice with a wrong signature or a timestamp too far from now is refused`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let forged: [([(String, String)], String)] = [
                (headers(harness, secret: Array("another secret".utf8)), "forged"),
                (headers(harness, Self.notice + " "), "forged"),
                (headers(harness, ago: 301), "too-old"), (headers(harness, ago: -301), "too-old"),
                ([("Idempotency-Key", "n1")], "unsigned"),
            ]
            for (headers, reason) in forged {
                let response = try harness.call("POST", "/v1/payments/notices", Self.notice, headers: headers)
                #expect(try response.problem == reason)
            }
            #expect(harness.asks.isEmpty)
        }
    }
}
