import EventSourcing
import Events
import Host
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

/// Tests of commands that arrive before the events of other services that they depend on.
@Suite("A command that refers to another service's data")
struct NotHereYetTests {
    /// Commands that need events not consumed yet, each with the status of its refusal once the hub is fully consumed.
    private static let early: [(verb: String, body: String, refusal: Int)] = [
        ("profile-farm", #"{"farm":"new","title":"New","county":"Greene"}"#, 404),
        ("list-product", #"{"product":"plums","farm":"new","title":"Plums","unit":"box"}"#, 404),
        ("open-pickup", #"{"pickup":"gate","title":"Gate","farm":"new"}"#, 404),
        ("set-favourite", #"{"kind":"farm","name":"new"}"#, 404),
        ("set-stock", #"{"lot":"NEW","boxes":5}"#, 404),
        ("adjust-stock", #"{"lot":"NEW","by":5,"reason":"packed"}"#, 404),
        (
            "publish-offer",
            #"{"offer":"o9","product":"tomatoes","lot":"NEW","price":{"minor":100,"currency":"EUR"}}"#, 404
        ),
        ("set-stock", #"{"lot":"L1","boxes":150}"#, 409),
    ]

    @Test(arguments: early)
    func `a command that precedes its events is too early, and succeeds later under the same key`(
        verb: String, body: String, refusal: Int
    ) throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let head = market.core.log.head.position
            #expect(try market.ask(verb, body, by: .person("gina"), key: "k").status == 425)
            // The final refusal is not stored either, since the missing events can still arrive.
            try market.settle()
            #expect(try market.ask(verb, body, by: .person("gina"), key: "k").status == refusal)
            #expect(market.core.log.head.position == head)
            try market.hear(FarmFounded(title: "New", zone: "Europe/Vienna"), farm: FarmID("new"))
            try market.pack("NEW", boxes: 10)
            try market.hear(
                Packed(lot: LotID("L1"), gramsEach: 10, serials: (0..<50).map { "MORE\($0)" }), farm: Market.farm)
            let done = try market.ask(verb, body, by: .person("gina"), key: "k")
            #expect((200...201).contains(done.status), "\(verb): \(done.json)")
            // The successful response is stored, and replayed for a repeated request.
            let stored = market.core.log.head.position
            #expect(try market.ask(verb, body, by: .person("gina"), key: "k").status == done.status)
            #expect(market.core.log.head.position == stored)
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `a refusal about the market's own data is final and stored under its key`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let body = #"{"product":"plums","title":"Plums","unit":"box"}"#
            #expect(try market.ask("change-product", body, by: .person("gina"), key: "k").status == 404)
            try market.staff("list-product", #"{"product":"plums","farm":"f1","title":"Plums","unit":"box"}"#)
            #expect(try market.ask("change-product", body, by: .person("gina"), key: "k").status == 404)
        }
    }

    @Test func `the refusal of an order for a lot with a parked event is not stored under its key`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.hearRiddle(of: "L1")
            let waiting = try market.ask("place-order", Market.wish(1), by: .person("ben"), key: "k")
            #expect(waiting.status == 409)
            let key = IdempotencyKey(actor: Actor.person("ben").description, key: "k", digest: [])
            #expect(try market.core.log.recall(key) == .unknown)
            try market.recall("L2")
            let recalled = try market.ask("place-order", Market.wish(1, of: "eggs-1"), by: .person("ben"), key: "r")
            #expect(recalled.status == 409)
            let stored = IdempotencyKey(actor: key.actor, key: "r", digest: [])
            #expect(try market.core.log.recall(stored) == .misused)
        }
    }
}
