import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Suggestions")
struct SuggestionTests {
    @Test func `callers get anonymous or their own suggestions, and only administrators those of others`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let me: String = try harness.call("GET", "/v1/me", as: admin).json.get("person")
            let (grower, growers) = try harness.staff(.grower, email: "gus@farm.test", by: admin)

            func asked(_ path: String, as token: String?) throws -> String {
                try harness.send("GET", path, as: token)
                let ask = harness.asks.removeLast()
                #expect(ask.to == "recommender" && ask.verb == "shelves" && ask.key == nil)
                return ask.text
            }
            #expect(try asked("/v1/shelves", as: nil) == "{}")
            #expect(try asked("/v1/shelves?limit=5", as: nil) == "{\"limit\":5}")
            #expect(
                try asked("/v1/shelves?with=apples,beets", as: growers)
                    == "{\"with\":\"apples,beets\",\"person\":\"\(grower)\"}")
            #expect(try asked("/v1/shelves", as: admin) == "{\"person\":\"\(me)\"}")
            #expect(try asked("/v1/shelves?person=\(grower)", as: growers) == "{\"person\":\"\(grower)\"}")
            #expect(try asked("/v1/shelves?person=\(grower)", as: admin) == "{\"person\":\"\(grower)\"}")

            #expect(try harness.call("GET", "/v1/shelves?person=\(me)", as: growers).problem == "not-allowed")
            #expect(try harness.call("GET", "/v1/shelves?person=\(me)").problem == "not-signed-in")
            #expect(try harness.call("GET", "/v1/shelves?limit=many").problem == "malformed")
        }
    }

    @Test(arguments: [
        ("2026-05-03T21:59:59Z", "2026-05-03", "2026-05-03T22:00:00.000000Z"),
        ("2026-05-03T22:00:00Z", "2026-05-04", "2026-05-04T22:00:00.000000Z"),
    ])
    func `picks are requested for the caller and the calendar day of the farm`(
        now: String, day: String, until: String
    ) throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            harness.now = try #require(Instant(now))
            try harness.tick()
            let admin = try harness.administrator()
            let me: String = try harness.call("GET", "/v1/me", as: admin).json.get("person")
            Hub(harness).tell([.trace(.farmFounded(FarmFounded(title: "Sonnhof", zone: "Europe/Vienna")))])
            try harness.send("GET", "/v1/picks", as: admin)
            let ask = harness.asks.removeLast()
            #expect(ask.to == "recommender" && ask.verb == "picks" && ask.key == nil)
            #expect(ask.text == "{\"person\":\"\(me)\",\"day\":\"\(day)\",\"until\":\"\(until)\"}")
            #expect(try harness.call("GET", "/v1/picks").problem == "not-signed-in")
        }
    }

    @Test func `suggestions are passed on as the recommender returns them, uncached`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let id = try harness.send("GET", "/v1/shelves")
            try harness.answer(harness.asks[0], 200, "{\"hubPosition\":7,\"shelves\":[]}")
            #expect(try harness.response(id).status == 200)
            #expect(try harness.response(id).headers["Cache-Control"] == "no-store")
        }
    }
}
