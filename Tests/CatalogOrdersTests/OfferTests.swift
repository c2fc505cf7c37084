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
    @Test func `of a product end without number, and are two hundred at a time`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            func publish(_ name: String, of lot: String = "L1", until: Instant? = nil) throws -> Int {
                let until = until.map { #","until":"\#($0)""# } ?? ""
                let what = #""offer":"\#(name)","product":"tomatoes","lot":"\#(lot)""#
                let body = #"{\#(what),"price":{"minor":1,"currency":"EUR"}\#(until)}"#
                return try market.ask("publish-offer", body, by: .person("gina")).status
            }
            let days = Bounds.offers + 10
            for day in 0..<days {
                #expect(try publish("over-\(day)", until: market.now.advanced(bySeconds: 3600)) == 201)
                #expect(try publish("withdrawn-\(day)") == 201)
                try market.staff("withdraw-offer", #"{"offer":"withdrawn-\#(day)"}"#)
                try market.pass(seconds: 3600)
            }
            #expect(market.core.tables.offers(of: "tomatoes", onSaleAt: market.now).map(\.key) == ["tomatoes-1"])
            let product = try market.staff("product", #"{"product":"tomatoes"}"#)
            #expect(try product.get("left", as: Int.self) == 100)
            let told = try product.get("offers", as: [JSONValue].self)
            #expect(try told[0].get("offer", as: String.self) == "tomatoes-1")
            #expect(try told.dropFirst().allSatisfy { try $0.get("closed", as: String.self) == "over" })
            print("offers: \(2 * days) of one product ended, \(told.count) told")
            #expect(told.count > 50)
            for number in 1..<Bounds.offers { #expect(try publish("open-\(number)") == 201) }
            #expect(try publish("one-more") == 409)
            try market.recall("L1")
            #expect(market.core.tables.offers(of: "tomatoes", onSaleAt: market.now).isEmpty)
            #expect(try publish("another", of: "L2") == 201)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `of a farm are told however many products it has taken off the market`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.staff("profile-farm", #"{"farm":"f1","title":"Sunny Hill"}"#)
            for number in 0...Bounds.pageItems {
                let name = #""product":"a\#(number)""#
                try market.staff("list-product", #"{\#(name),"farm":"f1","title":"A","unit":"box"}"#)
                try market.staff("withdraw-product", "{\(name)}")
            }
            let farm = try market.buyer("ben", "directory-farm", #"{"farm":"f1"}"#)
            let names: [String] = try farm.get("products", as: [JSONValue].self).map { try $0.get("product") }
            #expect(names == ["eggs", "tomatoes"])
        }
    }
}
