import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("Offers")
struct OfferTests {
    @Test func `a product can have any number of ended offers, but at most two hundred on sale`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            func publish(_ name: String, of lot: String = "L1", until: Instant? = nil) throws -> Int {
                let until = until.map { #","until":"\#($0)""# } ?? ""
                let what = #""offer":"\#(name)","product":"tomatoes","lot":"\#(lot)""#
                let body = #"{\#(what),"price":{"minor":1,"currency":"EUR"}\#(until)}"#
                return try market.ask("publish-offer", body, by: .person("gina")).status
            }
            let days = MarketLimits.offers + 10
            for day in 0..<days {
                #expect(try publish("over-\(day)", until: market.now.advanced(bySeconds: 3600)) == 201)
                #expect(try publish("withdrawn-\(day)") == 201)
                try market.staff("withdraw-offer", #"{"offer":"withdrawn-\#(day)"}"#)
                try market.pass(seconds: 3600)
            }
            #expect(market.core.tables.offers(of: "tomatoes", onSaleAt: market.now).map(\.key) == ["tomatoes-1"])
            let product = try market.staff("product", #"{"product":"tomatoes"}"#)
            #expect(try product.get("left", as: Int.self) == 100)
            let listed = try product.get("offers", as: [JSONValue].self)
            #expect(try listed[0].get("offer", as: String.self) == "tomatoes-1")
            #expect(try listed.dropFirst().allSatisfy { try $0.get("closed", as: String.self) == "over" })
            print("offers: \(2 * days) of one product ended, \(listed.count) listed")
            #expect(listed.count > 50)
            for number in 1..<MarketLimits.offers { #expect(try publish("open-\(number)") == 201) }
            #expect(try publish("one-more") == 409)
            try market.recall("L1")
            #expect(market.core.tables.offers(of: "tomatoes", onSaleAt: market.now).isEmpty)
            #expect(try publish("another", of: "L2") == 201)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `a catalogue response is valid until the next offer in it ends`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            func until(_ verb: String, _ body: String = "{}") -> Double? {
                let ask = Request(
                    id: 1, verb: verb, body: Array(body.utf8), actor: .service("sync-gateway"), key: nil,
                    entropy: Array(repeating: 0, count: 16))
                return CatalogOrders.answer(ask, at: market.now, reading: market.core.tables).until
                    .map { $0.seconds(since: market.now) }
            }
            #expect(until("products") == nil && until("offers") == nil)
            for (name, seconds) in [("late", 7200.0), ("soon", 3600)] {
                let what = #""offer":"\#(name)","product":"tomatoes","lot":"L1","price":{"minor":1,"currency":"EUR"}"#
                try market.staff(
                    "publish-offer", #"{\#(what),"until":"\#(market.now.advanced(bySeconds: seconds))"}"#)
            }
            for verb in ["products", "offers"] { #expect(until(verb) == 3600, "\(verb)") }
            #expect(until("product", #"{"product":"tomatoes"}"#) == 3600)
            #expect(until("directory") == nil && until("pickups") == nil)
            try market.pass(seconds: 3600)
            #expect(until("products") == 3600 && until("offers") == 3600)
            try market.pass(seconds: 3600)
            #expect(until("products") == nil && until("offers") == nil)
        }
    }

    @Test func `an offer that would already be over is refused`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            for (seconds, refusal) in [(-86_400.0, "422 in-the-past"), (0, "422 in-the-past"), (1, nil)] {
                let until = market.now.advanced(bySeconds: seconds)
                let what = #""offer":"x","product":"tomatoes","lot":"L1","price":{"minor":1,"currency":"EUR"}"#
                let body = #"{\#(what),"until":"\#(until)"}"#
                if let refusal {
                    #expect(try market.refusal("gina", "publish-offer", body) == refusal)
                } else {
                    try market.staff("publish-offer", body)
                }
            }
        }
    }

    @Test func `a product counts the boxes of a lot once, and its lowest price is of an offer in stock`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            func publish(_ name: String, of lot: String, _ minor: Int, _ currency: String, takes: Int = 1) throws {
                let what = #""offer":"\#(name)","product":"eggs","lot":"\#(lot)","takes":\#(takes)"#
                try market.staff(
                    "publish-offer", #"{\#(what),"price":{"minor":\#(minor),"currency":"\#(currency)"}}"#)
            }
            func summary() throws -> String {
                let product = try market.staff("product", #"{"product":"eggs"}"#)
                return "\(try product.get("left", as: Int.self)) \(try product.get("from", as: Money.self))"
            }
            try publish("eggs-2", of: "L2", 380, "EUR", takes: 3)
            #expect(try summary() == "10 3.80 EUR")
            try market.order("ben", 8, of: "eggs-1")
            #expect(try summary() == "2 3.90 EUR")
            try publish("eggs-3", of: "L1", 350, "JPY")
            try publish("eggs-4", of: "L1", 400, "EUR", takes: 2)
            #expect(try summary() == "102 3.90 EUR")
            try market.staff("set-stock", #"{"lot":"L1","boxes":0}"#)
            try market.order("bea", 2, of: "eggs-1")
            #expect(try summary() == "0 3.80 EUR")
        }
    }

    @Test func `a farm's page lists its products even after more than a page of them was withdrawn`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.staff("profile-farm", #"{"farm":"f1","title":"Sunny Hill"}"#)
            for number in 0...MarketLimits.pageItems {
                let name = #""product":"a\#(number)""#
                try market.staff("list-product", #"{\#(name),"farm":"f1","title":"A","unit":"box"}"#)
                try market.staff("withdraw-product", "{\(name)}")
            }
            let farm = try market.buyer("ben", "directory-farm", #"{"farm":"f1"}"#)
            let names: [String] = try farm.get("products", as: [JSONValue].self).map { try $0.get("product") }
            #expect(names == ["eggs", "tomatoes"])
        }
    }

    @Test func `a refused order states the reason with the product's title and in units of the offer`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.staff("open-pickup", #"{"pickup":"hall","title":"Market hall"}"#)
            try market.staff("list-product", #"{"product":"crate","farm":"f1","title":"Eggs by the crate","unit":"3"}"#)
            let more = #""product":"crate","lot":"L2","price":{"minor":900,"currency":"EUR"},"takes":3"#
            try market.staff("publish-offer", #"{"offer":"x-1",\#(more)}"#)
            let until = market.now.advanced(bySeconds: 60)
            try market.staff("publish-offer", #"{"offer":"x-2",\#(more),"until":"\#(until)","pickups":["barn"]}"#)
            try market.staff("publish-offer", #"{"offer":"x-3",\#(more)}"#)
            try market.staff("withdraw-offer", #"{"offer":"x-3"}"#)
            var refusals = 0
            func detail(_ items: String, at pickup: String = "barn") throws -> String {
                let lines = items.split(separator: " ").map { item in
                    let parts = item.split(separator: "×")
                    return #"{"offer":"\#(parts[1])","quantity":\#(parts[0])}"#
                }
                let body = #"{"lines":[\#(lines.joined(separator: ","))],"pickup":"\#(pickup)"}"#
                let (status, json) = try market.ask("place-order", body, by: .person("ben"))
                #expect((400...499).contains(status))
                refusals += 1
                return try json.get("detail")
            }
            #expect(try detail("4×x-1") == "Eggs by the crate: only 3 left.")
            #expect(try detail("11×eggs-1") == "eggs: only 10 left.")
            #expect(try detail("3×x-1 2×eggs-1") == "Not enough is left of Eggs by the crate and eggs.")
            #expect(try detail("1001×x-1") == "Order 1 to 1000 of Eggs by the crate.")
            #expect(try detail("1×x-2", at: "hall") == "Eggs by the crate: not to be picked up at Market hall.")
            #expect(try detail("1×x-3") == "Eggs by the crate: what you chose is not offered any more.")
            try market.pass(seconds: 60)
            #expect(try detail("1×x-2") == "Eggs by the crate: the time to order is over.")
            try market.order("bea", 9, of: "eggs-1")
            #expect(try detail("1×x-1") == "Eggs by the crate: sold out.")
            try market.hearRiddle(of: "L2")
            #expect(try detail("1×x-1") == "Eggs by the crate: not to be bought for now; the farm has to check it.")
            try market.recall("L1")
            #expect(try detail("1×tomatoes-1") == "tomatoes: recalled, not to be bought (glass).")
            print("refusals read: \(refusals)")
            #expect(refusals == 10)
        }
    }
}
