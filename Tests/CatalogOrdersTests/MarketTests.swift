import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("The market")
struct MarketTests {
    @Test func `the market sells each box once and refuses all later orders as sold out`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            var statuses: [Int: Int] = [:]
            for number in 0..<150 {
                let answer = try market.ask(
                    "place-order", Market.wish(1), by: .person(PersonID("b\(number % 7)")), key: "k\(number)")
                statuses[answer.status, default: 0] += 1
            }
            #expect(statuses == [201: 100, 409: 50])
            #expect(market.stock("L1").free == 0)
            #expect(try market.count(OrderPlaced.name) == 100)
            // A repeated request with the same key gets the stored response, and no box is sold again.
            for number in 0..<150 {
                let answer = try market.ask(
                    "place-order", Market.wish(1), by: .person(PersonID("b\(number % 7)")), key: "k\(number)")
                #expect(answer.status == (number < 100 ? 201 : 409))
            }
            #expect(try market.count(OrderPlaced.name) == 100)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `the packing list sums paid orders by product, and sold orders show the buyers' names`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.buyer("ben", "keep-contact", #"{"name":"Ben Moor"}"#)
            try market.order("ben", 3)
            try market.order("bea", 2)
            try market.order("bea", 1, of: "eggs-1")
            let waits = try market.order("ben", 5, payment: "sandbox").get("order", as: String.self)
            func packed() throws -> [String] {
                let items = try market.staff("packing", #"{"pickup":"barn"}"#).get("items", as: [JSONValue].self)
                return try items.flatMap { place in
                    try place.get("lines", as: [JSONValue].self).map { line in
                        let words = [try line.get("product", as: String.self), try line.get("lot")]
                        return "\(words[0]) \(words[1]) \(try line.get("quantity", as: Int.self))"
                    }
                }
            }
            #expect(try packed() == ["eggs L2 1", "tomatoes L1 5"])
            // An order that must be paid in advance is on the packing list once its payment is captured.
            let payment = try market.payment(of: waits)
            try market.provider(
                #"{"payment":"\#(payment)","event":"captured","amount":{"minor":6450,"currency":"EUR"}}"#)
            #expect(try packed() == ["eggs L2 1", "tomatoes L1 10"])
            let sold = try market.staff("sold-orders", #"{"state":"placed"}"#).get("items", as: [JSONValue].self)
            let names = try sold.map { try $0.find("name", as: String.self) ?? "" }
            #expect(names.sorted() == ["", "", "Ben Moor", "Ben Moor"])
        }
    }

    @Test func `a paid order with a goodwill refund is still packed and collected`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("ben", 3, payment: "sandbox").get("order")
            let one = #"{"order":"\#(order)"}"#
            #expect(try market.staff("sold-order", one).get("owed", as: Money.self).minor == 3870)
            #expect(try market.refusal("gina", "collect-order", one) == "409 unpaid")
            let payment = try market.payment(of: order)
            let paid = #"{"payment":"\#(payment)","event":"captured","amount":{"minor":3870,"currency":"EUR"}}"#
            try market.provider(paid)
            let gift = #"{"order":"\#(order)","amount":{"minor":500,"currency":"EUR"},"reason":"one is bruised"}"#
            #expect(try market.staff("refund-order", gift).get("owed", as: Money.self).minor == 0)
            let places = try market.staff("packing", #"{"pickup":"barn"}"#).get("items", as: [JSONValue].self)
            #expect(try places.map { try $0.get("orders", as: Int.self) } == [1])
            #expect(try market.ask("collect-order", one, by: .person("gina")).status == 201)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `an order's lines and offers of one lot share the boxes of the lot`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.staff(
                "publish-offer",
                #"{"offer":"crate","product":"eggs","lot":"L2","price":{"minor":900,"currency":"EUR"},"takes":3}"#)
            let both =
                #"{"lines":[{"offer":"crate","quantity":3},{"offer":"eggs-1","quantity":2}],"pickup":"barn"}"#
            #expect(try market.refusal("ben", "place-order", both) == "409 sold-out")
            let twice =
                #"{"lines":[{"offer":"eggs-1","quantity":6},{"offer":"eggs-1","quantity":6}],"pickup":"barn"}"#
            #expect(try market.refusal("ben", "place-order", twice) == "409 sold-out")
            let fits =
                #"{"lines":[{"offer":"crate","quantity":3},{"offer":"eggs-1","quantity":1}],"pickup":"barn"}"#
            let order = try market.buyer("ben", "place-order", fits)
            #expect(try order.get("total", as: Money.self).minor == 3090)
            #expect(market.stock("L2").free == 0)
        }
    }

    @Test func `the stock of a cart is reserved for ten minutes`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let eight = #"{"lines":[{"offer":"eggs-1","quantity":8}]}"#
            try market.buyer("ben", "hold-cart", eight)
            #expect(market.stock("L2").free == 2)
            #expect(try market.refusal("bea", "place-order", Market.wish(3, of: "eggs-1")) == "409 sold-out")
            try market.pass(seconds: MarketLimits.cartSeconds - 1)
            #expect(market.stock("L2").held == 8)
            try market.pass(seconds: 1)
            #expect(market.stock("L2") == Stock.State(boxes: 10, held: 0, ordered: 0))
            try market.order("bea", 3, of: "eggs-1")
            #expect(try market.refusal("ben", "hold-cart", eight) == "409 sold-out")
            // An order without lines takes the reserved cart.
            try market.buyer("ben", "hold-cart", #"{"lines":[{"offer":"eggs-1","quantity":7}]}"#)
            let order = try market.buyer("ben", "place-order", #"{"pickup":"barn"}"#)
            #expect(try order.get("total", as: Money.self).minor == 2730)
            #expect(market.stock("L2") == Stock.State(boxes: 10, held: 0, ordered: 10))
            #expect(try market.refusal("ben", "place-order", #"{"pickup":"barn"}"#) == "409 empty-cart")
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `a buyer changes and cancels only their own orders, and the staff records a collection`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("ben", 3).get("order")
            let change = #"{"order":"\#(order)","lines":[{"offer":"tomatoes-1","quantity":5}]}"#
            #expect(try market.refusal("eve", "change-order", change) == "404 unknown-order")
            let changed = try market.buyer("ben", "change-order", change)
            #expect(try changed.get("total", as: Money.self).minor == 6450)
            #expect(market.stock("L1").ordered == 5)
            #expect(try market.refusal("eve", "cancel-order", #"{"order":"\#(order)"}"#) == "404 unknown-order")
            let collected = try market.staff("collect-order", #"{"order":"\#(order)"}"#)
            #expect(try collected.get("paid", as: Money.self).minor == 6450)
            #expect(market.stock("L1") == Stock.State(boxes: 95, held: 0, ordered: 0, collected: 5))
            #expect(try market.refusal("ben", "cancel-order", #"{"order":"\#(order)"}"#) == "409 collected")
            let refund = #"{"order":"\#(order)","amount":{"minor":1290,"currency":"EUR"},"reason":"bruised"}"#
            try market.staff("refund-order", refund)
            #expect(try market.state(of: order).refunded == 1290)
            #expect(try market.count(PaymentRefunded.name) == 1)
            let other: String = try market.order("ben", 2).get("order")
            try market.buyer("ben", "cancel-order", #"{"order":"\#(other)"}"#)
            #expect(market.stock("L1").ordered == 0)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `the stock of a lot cannot exceed the boxes that were packed and not collected`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("ben", 4, of: "eggs-1").get("order")
            try market.staff("collect-order", #"{"order":"\#(order)"}"#)
            func set(_ boxes: Int) -> String { #"{"lot":"L2","boxes":\#(boxes)}"# }
            for boxes in [7, 10, MarketLimits.boxes] {
                #expect(try market.refusal("gina", "set-stock", set(boxes)) == "425 not-here-yet")
                try market.settle()
                #expect(try market.refusal("gina", "set-stock", set(boxes)) == "409 more-than-packed")
            }
            let more = #"{"lot":"L2","by":1,"reason":"found"}"#
            #expect(try market.refusal("gina", "adjust-stock", more) == "409 more-than-packed")
            try market.staff("set-stock", set(5))
            try market.staff("adjust-stock", more)
            #expect(market.stock("L2") == Stock.State(boxes: 6, held: 0, ordered: 0, collected: 4))
            let rows = try market.staff("stock").get("items", as: [JSONValue].self)
            #expect(try rows.map { try $0.get("collected", as: Int.self) } == [0, 4])
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `a payment is captured once, and a payment of a cancelled order is refunded`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("ben", 2, payment: "sandbox").get("order")
            let payment = try market.payment(of: order)
            let paid = #"{"payment":"\#(payment)","event":"captured","amount":{"minor":2580,"currency":"EUR"}}"#
            for _ in 0..<3 { #expect(try market.provider(paid).status == 200) }
            #expect(try market.count(PaymentCaptured.name) == 1)
            #expect(try market.ask("tell-payment", paid, by: .person("ben")).status == 403)
            try market.pass(seconds: MarketLimits.paySeconds + 1)
            #expect(try market.state(of: order).phase == .placed)
            let late: String = try market.order("bea", 3, payment: "sandbox").get("order")
            try market.pass(seconds: MarketLimits.paySeconds + 1)
            #expect(try market.state(of: late).phase == .cancelled)
            #expect(market.stock("L1").ordered == 2)
            #expect(try market.count(PaymentVoided.name) == 1)
            let second = try market.payment(of: late)
            let captured = #"{"payment":"\#(second)","event":"captured","amount":{"minor":3870,"currency":"EUR"}}"#
            #expect(try market.provider(captured).status == 200)
            let state = try market.state(of: late)
            #expect(state.captured == 3870 && state.refunded == 3870)
            // A report that arrived too early succeeds later under the same key.
            let third: String = try market.order("bea", 1, payment: "sandbox").get("order")
            let payment3 = try market.payment(of: third)
            let back =
                #"{"payment":"\#(payment3)","event":"refunded","refund":"r1","amount":{"minor":1,"currency":"EUR"}}"#
            #expect(try market.provider(back, key: "w1").status == 409)
            let capture3 = #"{"payment":"\#(payment3)","event":"captured","amount":{"minor":1290,"currency":"EUR"}}"#
            #expect(try market.provider(capture3, key: "w2").status == 200)
            #expect(try market.provider(back, key: "w1").status == 200)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `an order with a total of zero needs no payment and does not expire`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let free = #"{"offer":"gift","product":"eggs","lot":"L2","price":{"minor":0,"currency":"EUR"}}"#
            try market.staff("publish-offer", free)
            let order = try market.order("ben", 2, of: "gift", payment: "sandbox")
            #expect(try order.get("payment", as: String.self) == "at-pickup")
            try market.pass(seconds: MarketLimits.paySeconds + 1)
            let name: String = try order.get("order")
            #expect(try market.state(of: name).phase == .placed)
            #expect(try market.ask("collect-order", #"{"order":"\#(name)"}"#, by: .person("gina")).status == 201)
            #expect(try market.count(PaymentRequested.name) == 0)
        }
    }

    @Test func `a declined payment can be retried, and if both are captured one is refunded`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("ben", 2, payment: "sandbox").get("order")
            let first = try market.payment(of: order)
            let body = #"{"order":"\#(order)"}"#
            #expect(try market.refusal("ben", "pay-again", body) == "409 in-payment")
            #expect(try market.provider(#"{"payment":"\#(first)","event":"failed"}"#).status == 200)
            #expect(try market.refusal("eve", "pay-again", body) == "404 unknown-order")
            let answer = try market.buyer("ben", "pay-again", body)
            let again: JSONValue = try #require(try answer.get("payments", as: [JSONValue].self).last)
            let second: String = try again.get("payment")
            #expect(try second != first && again.get("state", as: String.self) == "requested")
            #expect(try market.count(PaymentVoided.name) == 1 && market.count(PaymentRequested.name) == 2)
            #expect(try market.refusal("ben", "pay-again", body) == "409 in-payment")
            for payment in [second, first, second, first] {
                let paid = #"{"payment":"\#(payment)","event":"captured","amount":{"minor":2580,"currency":"EUR"}}"#
                #expect(try market.provider(paid).status == 200)
            }
            let state = try market.state(of: order)
            #expect(state.captured - state.refunded == 2580 && state.phase == .placed)
            #expect(try market.refusal("ben", "pay-again", body) == "409 paid")
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `a buyer's contact is stored only in the vault until the buyer is erased`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let ben = "0191d9a2-7cde-4cc3-98c4-dc0c0c07398f"
            try market.buyer(ben, "keep-contact", #"{"name":"Canary Benson","address":"7 Canary Row"}"#)
            let order: String = try market.order(ben, 1).get("order")
            let sold = try market.staff("sold-order", #"{"order":"\#(order)"}"#)
            #expect(try sold.get("contact", as: JSONValue.self).get("name") == "Canary Benson")
            let own = try market.buyer(ben, "export")
            #expect(try own.get("contact", as: JSONValue.self).get("address") == "7 Canary Row")
            for entry in try market.core.log.reader().entries(from: 1, through: market.core.log.head.position) {
                #expect(!String(decoding: entry.bytes, as: UTF8.self).contains("Canary"))
            }
            try market.hear(PersonErased(person: PersonID(ben)))
            let gone = try market.staff("sold-order", #"{"order":"\#(order)"}"#)
            #expect(try gone.find("contact", as: JSONValue.self) == nil)
            let again = try market.ask("keep-contact", #"{"name":"Canary"}"#, by: .person(PersonID(ben)))
            #expect(again.status == 410)
        }
    }

    @Test func `what a product contains is stored as it was declared, and none declared is not none`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            func contents(_ product: String) throws -> ProductContents? {
                try market.staff("product", #"{"product":"\#(product)"}"#).find("contents")
            }
            #expect(try contents("tomatoes") == nil)
            for (text, expected) in [
                (
                    #"{"allergens":["nuts","milk","nuts"],"diet":"vegetarian"}"#,
                    ProductContents([.milk, .nuts], .vegetarian)
                ),
                (#"{"allergens":[]}"#, ProductContents([], nil)),
            ] {
                try market.staff(
                    "change-product", #"{"product":"tomatoes","title":"T","unit":"box","contents":\#(text)}"#)
                #expect(try contents("tomatoes") == expected)
            }
            for wrong in [#"{"allergens":["stones"]}"#, #"{"diet":"vegan"}"#] {
                let body = #"{"product":"tomatoes","title":"T","unit":"box","contents":\#(wrong)}"#
                #expect(try market.ask("change-product", body, by: .person("gina")).status == 400)
            }
            let (rebuilt, live) = try market.rebuilt()
            #expect(rebuilt == live)
        }
    }
}

extension ProductContents {
    fileprivate init(_ allergens: [Allergen], _ diet: Diet?) { self.init(allergens: allergens, diet: diet) }
}
