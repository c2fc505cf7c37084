import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("Lots that must not be sold")
struct RecallTests {
    @Test func `a recalled lot is not sold and is removed from carts and orders`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let lone: String = try market.order("ben", 2, of: "eggs-1").get("order")
            let mixed: String = try market.buyer(
                "bea", "place-order",
                #"{"lines":[{"offer":"eggs-1","quantity":1},{"offer":"tomatoes-1","quantity":1}],"pickup":"barn"}"#
            ).get("order")
            try market.buyer("cid", "hold-cart", #"{"lines":[{"offer":"eggs-1","quantity":4}]}"#)
            try market.recall("L0", includes: ["L2"])
            #expect(try market.refusal("ben", "place-order", Market.wish(1, of: "eggs-1")) == "409 recalled")
            #expect(try market.refusal("gina", "set-stock", #"{"lot":"L2","boxes":1}"#) == "409 recalled")
            #expect(try market.state(of: lone).phase == .cancelled)
            let rest = try market.state(of: mixed)
            #expect(rest.phase == .placed && rest.lines.count == 1 && rest.total?.minor == 1290)
            #expect(market.stock("L2").held == 0 && market.stock("L2").ordered == 0)
            #expect(try market.count(LotBlocked.name) == 2)
            let offers = try market.buyer("ben", "offers", #"{"lot":"L2"}"#)
            let closed: [String] = try offers.get("items", as: [JSONValue].self).map { try $0.get("closed") }
            #expect(closed == ["recalled"])
            try market.order("ben", 1)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `a lot with a parked event is not sold while other lots are`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.order("ben", 2, of: "eggs-1")
            try market.hearRiddle(of: "L2")
            #expect(try market.refusal("ben", "place-order", Market.wish(1, of: "eggs-1")) == "409 lot-waiting")
            let offers = try market.buyer("ben", "offers", #"{"lot":"L2"}"#)
            let closed: [String] = try offers.get("items", as: [JSONValue].self).map { try $0.get("closed") }
            #expect(closed == ["waiting"])
            try market.order("ben", 1)
        }
    }

    @Test func `a lot on hold and its parts are not sold until the release, and its orders remain`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("ben", 2, of: "eggs-1").get("order")
            let split = LotSplit(lot: "L2", into: "L2-A", grams: 1000)
            try market.hear([split, Packed(lot: "L2-A", gramsEach: 10, serials: ["S1"])], farm: Market.farm)
            try market.staff("set-stock", #"{"lot":"L2-A","boxes":1}"#)
            let part = #"{"offer":"part","product":"eggs","lot":"L2-A","price":{"minor":1,"currency":"EUR"}}"#
            try market.staff("publish-offer", part)
            let held = LotHeld(lot: "L2", includes: ["L2-A"], activity: "a1", until: market.now, reason: "too early")
            try market.hear(held, farm: Market.farm)
            for offer in ["eggs-1", "part"] {
                #expect(try market.refusal("bea", "place-order", Market.wish(1, of: offer)) == "409 held")
            }
            #expect(try market.refusal("gina", "collect-order", #"{"order":"\#(order)"}"#) == "409 held")
            let more = #"{"product":"eggs","lot":"L2","price":{"minor":390,"currency":"EUR"}}"#
            #expect(try market.refusal("gina", "publish-offer", more) == "409 held")
            let offers = try market.buyer("ben", "offers", #"{"lot":"L2"}"#)
            let closed: [String] = try offers.get("items", as: [JSONValue].self).map { try $0.get("closed") }
            #expect(closed == ["held"])
            try market.order("bea", 1)
            #expect(try market.state(of: order).phase == .placed)
            // The second hold remains when the first is lifted. A release ends all holds.
            var second = held
            second.activity = "a2"
            try market.hear(second, farm: Market.farm)
            let lifted = LotHoldLifted(lot: "L2", includes: ["L2-A"], activity: "a1", reason: "wrong plot")
            try market.hear(lifted, farm: Market.farm)
            #expect(try market.refusal("bea", "place-order", Market.wish(1, of: "eggs-1")) == "409 held")
            try market.hear(LotReleased(lot: "L2", includes: ["L2-A"], reason: "tested"), farm: Market.farm)
            for offer in ["eggs-1", "part"] { try market.order("bea", 1, of: offer) }
            try market.staff("collect-order", #"{"order":"\#(order)"}"#)
            let (again, live) = try market.rebuilt()
            #expect(again == live)
        }
    }

    @Test func `a lot that has left the farm is not sold, and its open orders remain for the staff`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let open: String = try market.order("ben", 2, of: "eggs-1").get("order")
            try market.buyer("bea", "hold-cart", #"{"lines":[{"offer":"eggs-1","quantity":1}]}"#)
            try market.hear(HandedOver(lot: "L2", to: "Mercado Central"), farm: Market.farm)
            #expect(try market.refusal("ben", "place-order", Market.wish(1, of: "eggs-1")) == "409 handed-over")
            #expect(try market.refusal("bea", "place-order", #"{"pickup":"barn"}"#) == "409 handed-over")
            #expect(try market.refusal("gina", "set-stock", #"{"lot":"L2","boxes":9}"#) == "409 handed-over")
            let more = #"{"product":"eggs","lot":"L2","price":{"minor":390,"currency":"EUR"}}"#
            #expect(try market.refusal("gina", "publish-offer", more) == "409 handed-over")
            let product = try market.buyer("ben", "product", #"{"product":"eggs"}"#)
            let offers = try product.get("offers", as: [JSONValue].self)
            #expect(try offers.map { try $0.get("closed", as: String.self) } == ["gone"])
            #expect(try product.get("left", as: Int.self) == 0)
            let stock = try market.staff("stock").get("items", as: [JSONValue].self)
            #expect(try stock.map { try $0.find("gone", as: Bool.self) ?? false } == [false, true])
            #expect(try stock.map { try $0.get("free", as: Int.self) } == [100, 0])
            try market.staff("collect-order", #"{"order":"\#(open)"}"#)
            // The lot can still be recalled.
            try market.recall("L2")
            #expect(try market.count(OrderRecalled.name) == 1)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `lots split off a lot with a parked event are not sold`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.hear(
                [
                    LotSplit(lot: "L1", into: "L1-A", grams: 1000), LotSplit(lot: "L1-A", into: "L1-B", grams: 500),
                    Packed(lot: "L1-B", gramsEach: 10, serials: ["S1", "S2", "S3"]),
                ], farm: Market.farm)
            try market.staff("set-stock", #"{"lot":"L1-B","boxes":3}"#)
            try market.staff(
                "publish-offer",
                #"{"offer":"split","product":"eggs","lot":"L1-B","price":{"minor":390,"currency":"EUR"}}"#)
            try market.order("ben", 1, of: "split")
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
            try market.hearRiddle(of: "L1")
            try market.hear(
                LotRecalled(lot: "L1", includes: ["L1-A", "L1-B"], reason: "glass"), farm: Market.farm, in: "lot/L1")
            for offer in ["split", "tomatoes-1"] {
                #expect(try market.refusal("ben", "place-order", Market.wish(1, of: offer)) == "409 lot-waiting")
            }
            let waiting = try market.staff("stock").get("items", as: [JSONValue].self).filter { row in
                try row.find("waiting", as: Bool.self) == true
            }
            #expect(try waiting.map { try $0.get("lot", as: String.self) } == ["L1", "L1-B"])
            try market.order("ben", 1, of: "eggs-1")
        }
    }

    @Test func `a recall is recorded once for each open or collected order with boxes of the lot`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let home: String = try market.order("ben", 2, of: "eggs-1").get("order")
            try market.staff("collect-order", #"{"order":"\#(home)"}"#)
            let waits: String = try market.order("bea", 1, of: "eggs-1").get("order")
            let gone: String = try market.order("cid", 1, of: "eggs-1").get("order")
            try market.buyer("cid", "cancel-order", #"{"order":"\#(gone)"}"#)
            try market.order("dan", 1)
            try market.recall("L0", includes: ["L2"])
            // A second recall, of an ancestor, includes the lot again. It adds no second event.
            try market.recall("L00", includes: ["L0", "L2"])
            let told = try market.facts().compactMap { told -> OrderRecalled? in
                guard case .orders(.orderRecalled(let event)) = told.fact else { return nil }
                #expect(told.envelope.causation != nil)
                return event
            }
            func recalled(_ order: String, _ buyer: PersonID, isCollected: Bool) -> OrderRecalled {
                OrderRecalled(
                    order: OrderID(order), buyer: buyer, lots: ["L2"], reason: "glass", isCollected: isCollected)
            }
            #expect(told.count == 2)
            #expect(told.contains(recalled(home, "ben", isCollected: true)))
            #expect(told.contains(recalled(waits, "bea", isCollected: false)))
            #expect(try market.state(of: home).phase == .collected)
            #expect(try market.state(of: waits).phase == .cancelled)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `two recalls in one page change each cart and order only once`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.pack("L3", boxes: 10)
            try market.staff("set-stock", #"{"lot":"L3","boxes":10}"#)
            let what = #""offer":"ham-1","product":"eggs","lot":"L3""#
            try market.staff("publish-offer", #"{\#(what),"price":{"minor":800,"currency":"EUR"}}"#)
            func order(_ buyer: String, _ offers: [String], _ payment: String = "sandbox") throws -> String {
                let lines = offers.map { #"{"offer":"\#($0)","quantity":1}"# }.joined(separator: ",")
                let body = #"{"lines":[\#(lines)],"pickup":"barn","payment":"\#(payment)"}"#
                return try market.buyer(buyer, "place-order", body).get("order")
            }
            let offers = ["tomatoes-1", "eggs-1", "ham-1"]
            let paid = try order("ben", offers)
            let payment = try market.payment(of: paid)
            let money = #"{"minor":2480,"currency":"EUR"}"#
            try market.provider(#"{"payment":"\#(payment)","event":"captured","amount":\#(money)}"#)
            let unpaid = try order("bea", offers)
            let inHand = try order("cid", offers, "at-pickup")
            let both = try order("dan", ["tomatoes-1", "eggs-1"], "at-pickup")
            let home = try order("eve", ["eggs-1"], "at-pickup")
            try market.staff("collect-order", #"{"order":"\#(home)"}"#)
            try market.buyer(
                "fay", "hold-cart",
                #"{"lines":[{"offer":"tomatoes-1","quantity":1},{"offer":"eggs-1","quantity":1}]}"#)
            // The second recall includes the lot of the first.
            try market.hear(
                [
                    LotRecalled(lot: "L2", includes: [], reason: "glass"),
                    LotRecalled(lot: "L1", includes: ["L2"], reason: "lead"),
                ], farm: Market.farm)
            for name in [paid, inHand] {
                let state = try market.state(of: name)
                #expect(state.phase == .placed && state.lines.map(\.lot) == ["L3"] && state.total?.minor == 800)
            }
            #expect(try market.state(of: paid).refunded == 1680)
            for name in [unpaid, both] { #expect(try market.state(of: name).phase == .cancelled) }
            for lot in ["L1", "L2"] { #expect(market.stock(lot).promised == 0, "\(lot): \(market.stock(lot))") }
            #expect(market.stock("L3") == Stock.State(boxes: 10, held: 0, ordered: 2))
            let counts = try [OrderChanged.name, OrderCancelled.name, OrderRefunded.name, CartReleased.name].map {
                try market.count($0)
            }
            #expect(counts == [2, 2, 1, 1])
            let told = try market.facts().compactMap { told -> String? in
                guard case .orders(.orderRecalled(let event)) = told.fact else { return nil }
                return "\(event.buyer) \(event.lots.map(\.rawValue).joined(separator: " ")) \(event.reason)"
            }
            #expect(
                told.sorted() == [
                    "bea L1 lead", "bea L2 glass", "ben L1 lead", "ben L2 glass", "cid L1 lead", "cid L2 glass",
                    "dan L1 lead", "dan L2 glass", "eve L2 glass",
                ])
            #expect(try market.count(LotBlocked.name) == 2)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }
}
