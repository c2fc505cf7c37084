import EventSourcing
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import Recommender

@Suite("Feedback of other systems (the API of Gorse)")
struct FeedbackTests {
    @Test func `feedback is learnt from as orders or views, and counts what the shop has`() throws {
        let shop = try Self.shop()
        let answer = try call(
            shop, "insert-feedback",
            """
            "body":[\(Self.feedback("purchase", "u1", "apples", "2026-04-01T10:00:00Z")),
            \(Self.feedback("purchase", "u1", "beets", "2026-04-01T10:00:00Z")),
            \(Self.feedback("read", "u1", "carrots", "")), \(Self.feedback("star", "u1", "gone", ""))]
            """)
        #expect(try answer.get("RowAffected", as: Int.self) == 3)
        #expect(try shop.shelves(of: "u1")["again"] == ["apples", "beets"])
        #expect(try shop.shelves(of: "u1")["viewed"] == ["carrots"])
        let listed = try call(shop, "user-feedback", "\"user\":\"u1\"").elements()
        #expect(listed.count == 3)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `deleted feedback is forgotten exactly, and orders of the shop remain`() throws {
        let shop = try Self.shop()
        try shop.order("1", by: "u1", ["carrots"], day: -1)
        let before = try shop.shelves(of: "u1")
        for product in ["apples", "beets"] {
            _ = try call(
                shop, "insert-feedback", "\"body\":[\(Self.feedback("purchase", "u1", product, "2026-04-01"))]")
        }
        #expect(try shop.shelves(of: "u1")["again"]?.count == 3)
        let one = try call(shop, "delete-feedback", "\"user\":\"u1\",\"item\":\"apples\"")
        #expect(try one.get("RowAffected", as: Int.self) == 1)
        #expect(try Set(shop.shelves(of: "u1")["again"] ?? []) == ["carrots", "beets"])
        _ = try call(shop, "delete-user", "\"user\":\"u1\"")
        #expect(try shop.shelves(of: "u1") == before)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `an erased person leaves no feedback, and names, futures and floods are refused`() throws {
        let shop = try Self.shop()
        _ = try call(shop, "insert-feedback", "\"body\":[\(Self.feedback("purchase", "u1", "apples", ""))]")
        try shop.tell(PersonErased(person: "u1"))
        #expect(try call(shop, "user-feedback", "\"user\":\"u1\"").elements().isEmpty)
        #expect(try shop.told(of: "u1")["again"] == nil)
        for bad in [
            Self.feedback("purchase", "bea@farm.test", "apples", ""), Self.feedback("a kind", "u1", "apples", ""),
            Self.feedback("purchase", "u1", "apples", "yesterday"),
            Self.feedback("purchase", "u1", "apples", "2099-01-01T00:00:00Z"),
        ] {
            #expect(try shop.ask("{\"call\":\"insert-feedback\",\"body\":[\(bad)]}", verb: "gorse").status == 422)
        }
        let flood = Array(repeating: Self.feedback("read", "u1", "apples", ""), count: RecommenderLimits.feedback + 1)
        let body = "{\"call\":\"insert-feedback\",\"body\":[\(flood.joined(separator: ","))]}"
        #expect(try shop.ask(body, verb: "gorse").status == 422)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `items are the shop's products, recommended by category, in pages and with scores`() throws {
        let shop = try Self.shop()
        for number in 0..<4 { try shop.order("\(number)", by: "p\(number)", ["apples", "beets"], day: -number) }
        try shop.settle()
        let items = try call(shop, "items", "\"n\":2")
        #expect(try items.get("Cursor", as: String.self) == "beets")
        #expect(try items.get("Items", as: [JSONValue].self).count == 2)
        let rest = try call(shop, "items", "\"n\":2,\"cursor\":\"beets\"")
        #expect(
            try rest.get("Items", as: [JSONValue].self).map { try $0.get("ItemId", as: String.self) } == ["carrots"])
        let ids = try call(shop, "recommend", "\"user\":\"stranger\"").elements().map { try $0.string() }
        #expect(ids.first == "apples" && Set(ids) == ["apples", "beets", "carrots"])
        let scored = try call(shop, "recommend", "\"user\":\"stranger\",\"offset\":1,\"scores\":true").elements()
        #expect(try scored[0].get("Id", as: String.self) == ids[1] && scored[0].get("Score", as: Double.self) == 0.5)
        #expect(try call(shop, "recommend-category", "\"user\":\"x\",\"category\":\"fish\"").elements().isEmpty)
        let neighbours = try call(shop, "neighbours", "\"item\":\"apples\"").elements()
        #expect(try neighbours.map { try $0.get("Id", as: String.self) } == ["beets"])
        #expect(try shop.ask("{\"call\":\"item\",\"item\":\"gone\"}", verb: "gorse").status == 404)
        #expect(try call(shop, "users", "\"n\":3").get("Users", as: [JSONValue].self).count == 3)
    }

    private static func shop() throws -> Shopfront {
        let shop = try Shopfront()
        for product in ["apples", "beets", "carrots"] { try shop.list(product) }
        return shop
    }

    private static func feedback(_ kind: String, _ user: String, _ item: String, _ time: String) -> String {
        "{\"FeedbackType\":\"\(kind)\",\"UserId\":\"\(user)\",\"ItemId\":\"\(item)\",\"Timestamp\":\"\(time)\"}"
    }

    private func call(_ shop: Shopfront, _ name: String, _ members: String) throws -> JSONValue {
        let (status, json) = try shop.ask("{\"call\":\"\(name)\",\(members)}", verb: "gorse")
        #expect(status == 200)
        return json
    }
}

extension JSONValue {
    fileprivate func elements() throws -> [JSONValue] {
        var elements: [JSONValue] = []
        for element in try #require(array) { elements.append(element) }
        return elements
    }
}
