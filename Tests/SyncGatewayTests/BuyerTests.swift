import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("A buyer")
struct BuyerTests {
    @Test func `signs up once, however often the request is repeated`() throws {
        try withTemporaryDirectory { folder in
            let house = try Gatehouse(in: folder)
            let first = try house.buyer(email: "Wilma@Buyers.test")
            let again = try house.buyer(email: "wilma@buyers.test", key: "sign-up-Wilma@Buyers.test")
            #expect(first.person == again.person)
            #expect(first.token != again.token)
            let told = try house.journal().filter { $0.contains(BuyerEnrolled.name) }
            #expect(told.count == 1)
            #expect(told.first?.contains(first.person) == true)
            #expect(try house.journal().allSatisfy { !$0.lowercased().contains("wilma") })
        }
    }

    @Test func `does not get somebody else's account under a key of theirs, or their address under another`() throws {
        try withTemporaryDirectory { folder in
            let house = try Gatehouse(in: folder)
            _ = try house.buyer(email: "bea@buyers.test", key: "k")
            let other = "{\"name\":\"Eve\",\"email\":\"bea@buyers.test\",\"password\":\"another password\"}"
            #expect(try house.call("POST", "/v1/buyers", other, key: "k2").problem == "email-taken")
            #expect(try house.call("POST", "/v1/buyers", other, key: "k").problem == "wrong-credentials")
            let eve = try house.buyer(email: "eve@buyers.test", key: "k")
            #expect(try house.call("GET", "/v1/me", as: eve.token).json.get("email") == "eve@buyers.test")
        }
    }

    @Test func `is told apart from the staff`() throws {
        try withTemporaryDirectory { folder in
            let house = try Gatehouse(in: folder)
            let administrator = try house.administrator()
            let bea = try house.buyer(email: "bea@buyers.test")
            #expect(try house.call("GET", "/v1/me", as: bea.token).json.get("role") == "buyer")
            #expect(try house.call("GET", "/v1/lots", as: bea.token).status == 403)
            let staff = try house.call("GET", "/v1/accounts", as: administrator).text
            #expect(staff.contains("ada@farm.test") && !staff.contains("bea@buyers.test"))
            let made = try house.call(
                "POST", "/v1/accounts",
                "{\"name\":\"B\",\"email\":\"x@y.test\",\"password\":\"battery staple\",\"role\":\"buyer\"}",
                as: administrator)
            #expect(made.status == 400)
        }
    }

    @Test func `sees all that is kept of them, and goes without a trace`() throws {
        try withTemporaryDirectory { folder in
            let house = try Gatehouse(in: folder)
            let bea = try house.buyer(email: "bea@buyers.test")
            let id = try house.send("GET", "/v1/me/export", as: bea.token)
            let last = house.asks.popLast()
            let asked = try #require(last)
            #expect(asked.to == "catalog-orders" && asked.verb == "export")
            #expect(asked.actor.description == "person/\(bea.person)")
            try house.answer(asked, 200, "{\"orders\":[{\"order\":\"o1\"}]}")
            let export = try house.response(id)
            #expect(export.status == 200)
            #expect(export.text.contains("bea@buyers.test") && export.text.contains("\"o1\""))
            #expect(try house.call("DELETE", "/v1/me", as: bea.token).status == 204)
            #expect(try house.call("GET", "/v1/me", as: bea.token).status == 401)
            #expect(try house.journal().filter { $0.contains(PersonErased.name) }.count == 1)
            // The address is free again.
            let again = try house.buyer(email: "bea@buyers.test", key: "later")
            #expect(again.person != bea.person)
        }
    }
}
