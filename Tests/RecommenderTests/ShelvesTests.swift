import EventSourcing
import Events
import JSON
import Testing
import Vocabulary

@testable import Recommender

@Suite("Shelves of suggestions")
struct ShelvesTests {
    @Test func `an anonymous visitor gets shelves of popular and new products`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets", "carrots"] { try shop.list(product) }
        try shop.order("1", by: "anna", ["beets"])
        try shop.order("2", by: "ben", ["beets", "apples"])
        let shelves = try shop.told()
        #expect(Set(shelves.keys) == ["popular", "discover"])
        #expect(try products(shelves["popular"]) == ["beets", "apples"])
        #expect(try products(shelves["discover"]).count == 3)
        #expect(try reasons(shelves["popular"]).first == "In 2 orders of the last four weeks of orders.")
        #expect(try reasons(shelves["discover"]).first == "New in the shop.")
    }

    @Test func `each suggestion has its reason as a sentence`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets", "carrots", "dill"] { try shop.list(product) }
        for week in 0..<4 {
            try shop.order("a\(week)", by: "anna", ["apples"], day: week * 7 - 40)
            try shop.order("b\(week)", by: "ben", ["beets", "carrots"], day: week * 3 - 40)
            try shop.order("c\(week)", by: "carl", ["apples", "dill"], day: week * 5 - 40)
        }
        try shop.settle()
        let anna = try shop.told(of: "anna")
        #expect(try products(anna["again"]) == ["apples"])
        #expect(try reasons(anna["again"]) == ["You buy this about once a week."])
        #expect(try products(anna["discover"]).first == "dill")
        #expect(try reasons(anna["discover"]).first == "People who buy Apples often buy this, too.")
        #expect(try reasons(anna["together"]) == ["Often in the same order as Apples."])
        #expect(try shop.shelves(with: "beets")["together"] == ["carrots"])
        #expect(try shop.told(of: "ben")["again"]?.first?["because"]?.string() == "rhythm")
    }

    @Test func `shelves hold only products in stock`() throws {
        let shop = try Shopfront()
        try shop.list("apples", boxes: 2)
        try shop.list("beets")
        try shop.order("1", by: "anna", ["apples", "beets"])
        #expect(try shop.shelves(of: "anna")["again"] == ["apples", "beets"])
        // The last box is reserved for a cart.
        let until = shop.now.advanced(bySeconds: 600)
        try shop.tell(CartHeld(buyer: PersonID("ben"), lines: [shop.line("apples")], until: until))
        #expect(try shop.shelves(of: "anna")["again"] == ["beets"])
        try shop.tell(CartReleased(buyer: PersonID("ben"), why: .expired))
        #expect(try shop.shelves(of: "anna")["again"] == ["apples", "beets"])
        // A collection frees no box; a cancellation does.
        try shop.order("2", by: "ben", ["apples"])
        #expect(try shop.shelves(of: "anna")["again"] == ["beets"])
        try shop.tell(OrderCollected(order: "1"))
        #expect(try shop.shelves(of: "anna")["again"] == ["beets"])
        try shop.tell(OrderCancelled(order: "2", why: .buyer))
        #expect(try shop.shelves(of: "anna")["again"] == ["apples", "beets"])
        try shop.tell(LotBlocked(lot: "L-beets", reason: "recalled"))
        #expect(try shop.shelves(of: "anna")["again"] == ["apples"])
        try shop.list("dates")
        #expect(try shop.shelves()["discover"]?.contains("dates") == true)
        try shop.tell(HandedOver(lot: "L-dates", to: "Mercado Central"))
        #expect(try shop.shelves()["discover"]?.contains("dates") == false)
        try shop.tell(StockAdjusted(lot: "L-apples", by: -1, reason: "mice"))
        #expect(try shop.shelves(of: "anna").isEmpty)
        try shop.tell(StockSet(lot: "L-apples", boxes: 5))
        try shop.tell(OfferWithdrawn(offer: "o-apples"))
        #expect(try shop.shelves(of: "anna").isEmpty)
        try shop.list("cherries")
        #expect(try shop.shelves()["discover"] == ["cherries"])
        try shop.tell(ProductWithdrawn(product: "cherries"))
        #expect(try shop.shelves().isEmpty)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `shelves leave out lots with a parked event and lots split off them`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets", "carrots"] { try shop.list(product) }
        try shop.tell(LotSplit(lot: "L-1", into: "L-2", grams: 100))
        try shop.tell(LotSplit(lot: "L-2", into: "L-apples", grams: 100))
        try shop.order("1", by: "anna", ["apples", "beets", "carrots"])
        #expect(try shop.shelves(of: "anna")["again"] == ["apples", "beets", "carrots"])
        try shop.hearRiddle(of: "L-beets")
        #expect(try shop.shelves(of: "anna")["again"] == ["apples", "carrots"])
        try shop.hearRiddle(of: "L-1")
        #expect(try shop.shelves(of: "anna")["again"] == ["carrots"])
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `shelves leave out the products in the cart`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets"] { try shop.list(product) }
        try shop.order("1", by: "anna", ["apples", "beets"])
        #expect(try shop.shelves(of: "anna", with: "apples")["again"] == ["beets"])
    }

    @Test func `shelves change at once when an order is placed, changed or cancelled`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets"] { try shop.list(product) }
        try shop.order("1", by: "anna", ["apples"])
        #expect(try shop.shelves(of: "anna")["again"] == ["apples"])
        try shop.tell(
            OrderChanged(
                order: "1", lines: [shop.line("beets")], total: Shopfront.price, pickup: PickupID("barn")))
        #expect(try shop.shelves(of: "anna")["again"] == ["beets"])
        try shop.tell(OrderCancelled(order: "1", why: .buyer))
        #expect(try shop.shelves(of: "anna")["again"] == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `shelves use imported orders, and leave out recalled lots and orders of an erased person`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets"] { try shop.list(product) }
        let past = OrderImported(
            order: "old", buyer: "anna",
            lines: [.init(product: "apples", quantity: 3), .init(product: "beets", quantity: 1)])
        try shop.tell(past, at: shop.now.advanced(bySeconds: -86_400))
        #expect(try shop.shelves(of: "anna")["again"] == ["apples", "beets"])
        try shop.tell(LotRecalled(lot: "L-apples", includes: ["L-x"], reason: "glass"))
        #expect(try shop.shelves(of: "anna")["again"] == ["beets"])
        try shop.tell(PersonErased(person: "anna"))
        #expect(try shop.shelves(of: "anna")["again"] == nil)
        try shop.tell(past)
        #expect(try shop.shelves(of: "anna")["again"] == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `a request with an invalid limit or too many cart products is refused`() throws {
        let shop = try Shopfront()
        #expect(try shop.ask(#"{"limit":0}"#).status == 400)
        #expect(try shop.ask(#"{"limit":51}"#).status == 400)
        #expect(try shop.ask(#"{"with":"\#(Array(repeating: "a", count: 51).joined(separator: ","))"}"#).status == 400)
        #expect(try shop.ask("{}").status == 200)
    }

    private func products(_ items: [JSONValue]?) throws -> [String] {
        try #require(items).map { try $0.get("product") }
    }

    private func reasons(_ items: [JSONValue]?) throws -> [String] {
        try #require(items).map { try $0.get("reason") }
    }
}
