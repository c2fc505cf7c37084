import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("Buyers")
struct BuyerTests {
    @Test func `a repeated sign-up creates one buyer's account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let first = try harness.buyer(email: "Wilma@Buyers.test")
            let again = try harness.buyer(email: "wilma@buyers.test", key: "sign-up-Wilma@Buyers.test")
            #expect(first.person == again.person)
            #expect(first.token != again.token)
            let told = try harness.journal().filter { $0.contains(BuyerEnrolled.name) }
            #expect(told.count == 1)
            #expect(told.first?.contains(first.person) == true)
            #expect(try harness.journal().allSatisfy { !$0.lowercased().contains("wilma") })
        }
    }

    @Test func `a sign-up with another person's key or e-mail address does not give access to their account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            _ = try harness.buyer(email: "bea@buyers.test", key: "k")
            let other = "{\"name\":\"Eve\",\"email\":\"bea@buyers.test\",\"password\":\"another password\"}"
            #expect(try harness.call("POST", "/v1/buyers", other, key: "k2").problem == "email-taken")
            #expect(try harness.call("POST", "/v1/buyers", other, key: "k").problem == "wrong-credentials")
            let eve = try harness.buyer(email: "eve@buyers.test", key: "k")
            #expect(try harness.call("GET", "/v1/me", as: eve.token).json.get("email") == "eve@buyers.test")
        }
    }

    @Test func `a buyer has no rights of the staff and is not listed among them`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let administrator = try harness.administrator()
            let bea = try harness.buyer(email: "bea@buyers.test")
            #expect(try harness.call("GET", "/v1/me", as: bea.token).json.get("role") == "buyer")
            #expect(try harness.call("GET", "/v1/lots", as: bea.token).status == 403)
            let staff = try harness.call("GET", "/v1/accounts", as: administrator).text
            #expect(staff.contains("ada@farm.test") && !staff.contains("bea@buyers.test"))
            let made = try harness.call(
                "POST", "/v1/accounts",
                "{\"name\":\"B\",\"email\":\"x@y.test\",\"password\":\"battery staple\",\"role\":\"buyer\"}",
                as: administrator)
            #expect(made.status == 400)
        }
    }

    @Test func `a buyer can export all of their data and erase their account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let bea = try harness.buyer(email: "bea@buyers.test")
            let id = try harness.send("GET", "/v1/me/export", as: bea.token)
            let last = harness.asks.popLast()
            let asked = try #require(last)
            #expect(asked.to == "catalog-orders" && asked.verb == "export")
            #expect(asked.actor.description == "person/\(bea.person)")
            try harness.answer(asked, 200, "{\"orders\":[{\"order\":\"o1\"}]}")
            let rest = harness.asks.popLast()
            let suggestions = try #require(rest)
            #expect(suggestions.to == "recommender" && suggestions.actor.description == "person/\(bea.person)")
            try harness.answer(suggestions, 200, "{\"viewed\":[{\"product\":\"honey\"}]}")
            let export = try harness.response(id)
            #expect(export.status == 200)
            #expect(export.text.contains("bea@buyers.test") && export.text.contains("\"o1\""))
            #expect(export.text.contains("honey") && !export.text.contains("missing"))
            #expect(try harness.call("DELETE", "/v1/me", as: bea.token).status == 204)
            #expect(try harness.call("GET", "/v1/me", as: bea.token).status == 401)
            #expect(try harness.journal().filter { $0.contains(PersonErased.name) }.count == 1)
            // The e-mail address can be used again.
            let again = try harness.buyer(email: "bea@buyers.test", key: "later")
            #expect(again.person != bea.person)
        }
    }
}
