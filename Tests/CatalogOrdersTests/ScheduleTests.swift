import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

/// Random schedules of several buyers, with lost responses, repeated requests, and late and repeated payment reports.
@Suite("Random schedules of the market")
struct ScheduleTests {
    private static let schedules = 60
    private static let steps = 60

    @Test func `no schedule promises a box twice or loses or creates money`() throws {
        var facts = 0
        var refused = 0
        var records = 0
        for seed in 0..<Self.schedules {
            try withTemporaryDirectory { folder in
                let market = try Market.open(in: folder)
                var random = SplitMix64(seed: UInt64(seed))
                var known = Known()
                var watch = OrderRecordWatch()
                for step in 0..<Self.steps {
                    let status = try Self.act(market, &random, &known, step)
                    if status >= 400 { refused += 1 }
                    try Self.check(market, known)
                    records += try watch.compare(market)
                }
                facts += Int(market.core.log.head.position)
                let (anew, live) = try market.rebuilt()
                #expect(anew == live, "seed \(seed)")
            }
        }
        print(
            "market: \(Self.schedules) schedules of \(Self.steps) steps, \(facts) facts, \(records) records, \(refused) refusals"
        )
        #expect(facts > Self.schedules * 30 && refused > Self.schedules && records > Self.schedules * 10)
    }

    /// The state that the test tracks independently of the market.
    private struct Known {
        var orders: [String] = []
        /// The boxes of each lot, including collected ones: the packed boxes, or the number set last.
        var boxes = packed
    }

    private static let packed = ["L1": 100, "L2": 10]

    private static func act(
        _ market: Market, _ random: inout SplitMix64, _ known: inout Known, _ step: Int
    ) throws -> Int {
        let buyer = PersonID("b\(Int.random(in: 0..<5, using: &random))")
        let offer = Bool.random(using: &random) ? "tomatoes-1" : "eggs-1"
        let quantity = Int.random(in: 1...6, using: &random)
        let order = known.orders.randomElement(using: &random) ?? "none"
        func ask(_ verb: String, _ body: String, by actor: Actor? = nil) throws -> Int {
            let actor = actor ?? .person(buyer)
            let answer = try market.ask(verb, body, by: actor, key: "s\(step)")
            // A client whose response was lost repeats the request and gets the same response.
            if verb != "tell-payment", Bool.random(using: &random) {
                let again = try market.ask(verb, body, by: actor, key: "s\(step)")
                #expect(again.status == answer.status)
            }
            if verb == "place-order", answer.status == 201 { known.orders.append(try answer.json.get("order")) }
            return answer.status
        }
        let one = #"{"order":"\#(order)"}"#
        switch Int.random(in: 0..<13, using: &random) {
        case 0...2:
            let payment = Bool.random(using: &random) ? "sandbox" : "at-pickup"
            return try ask("place-order", Market.wish(quantity, of: offer, payment: payment))
        case 3: return try ask("hold-cart", #"{"lines":[{"offer":"\#(offer)","quantity":\#(quantity)}]}"#)
        case 4: return try ask("place-order", #"{"pickup":"barn"}"#)
        case 5:
            let owner = market.core.tables.get(OrderRow.self, order)?.state.placed?.buyer ?? buyer
            let body = #"{"order":"\#(order)","lines":[{"offer":"\#(offer)","quantity":\#(quantity)}]}"#
            return try ask("change-order", body, by: .person(owner))
        case 6: return try ask("call-off-order", #"{"order":"\#(order)","reason":"rain"}"#, by: .person("gina"))
        case 7: return try ask("collect-order", one, by: .person("gina"))
        case 8, 9: return try pay(market, order, &random)
        case 10:
            try market.pass(seconds: Double.random(in: 1...700, using: &random))
            return 200
        case 11:
            let lot = Bool.random(using: &random) ? "L1" : "L2"
            let before = market.stock(lot)
            let boxes = before.boxes + Int.random(in: -4...6, using: &random)
            let status =
                Bool.random(using: &random)
                ? try ask("set-stock", #"{"lot":"\#(lot)","boxes":\#(boxes)}"#, by: .person("gina"))
                : try ask(
                    "adjust-stock", #"{"lot":"\#(lot)","by":\#(boxes - before.boxes),"reason":"counted"}"#,
                    by: .person("gina"))
            if status == 200 { known.boxes[lot] = boxes + before.collected }
            return status
        default:
            let body = #"{"order":"\#(order)","amount":{"minor":500,"currency":"EUR"},"reason":"bruised"}"#
            return try ask("refund-order", body, by: .person("gina"))
        }
    }

    private static func pay(_ market: Market, _ order: String, _ random: inout SplitMix64) throws -> Int {
        let rows = market.core.tables.find(PaymentRow.self, where: "orders", is: order, limit: 10)
        guard let asked = rows.first?.state.requested else { return 404 }
        let words = ["opened", "authorized", "captured", "captured", "failed"]
        let word = words.randomElement(using: &random) ?? "captured"
        let amount = #"{"minor":\#(asked.amount.minor),"currency":"EUR"}"#
        return try market.provider(
            #"{"payment":"\#(asked.payment)","event":"\#(word)","reference":"x","amount":\#(amount)}"#
        ).status
    }

    /// Checks the invariants that hold after every step.
    private static func check(_ market: Market, _ known: Known) throws {
        let tables = market.core.tables
        let orders = tables.scan(OrderRow.self, limit: 10_000)
        for stock in tables.scan(StockRow.self, limit: 100) {
            let state = stock.state
            let lot = LotID(stock.key)
            #expect(state.held >= 0 && state.ordered >= 0 && state.promised <= state.boxes, "\(stock.key): \(state)")
            let open = orders.filter { $0.state.phase == .placed }.reduce(0) { $0 + $1.state.lines.boxes(of: lot) }
            let gone = orders.filter { $0.state.phase == .collected }.reduce(0) { $0 + $1.state.lines.boxes(of: lot) }
            let held = tables.scan(CartRow.self, limit: 100).reduce(0) { $0 + $1.lines.boxes(of: lot) }
            #expect(stock.published == Stock.level(of: state, isSaleable: true))
            #expect(state.ordered == open && state.held == held)
            let there = try #require(known.boxes[stock.key])
            #expect(state.boxes + gone == there && state.collected == gone)
            #expect(there <= packed[stock.key] ?? 0, "\(stock.key): \(there) boxes")
        }
        for order in orders {
            let state = order.state
            let lines = state.lines.reduce(Int64(0)) { $0 + $1.amount.minor }
            #expect(lines == state.total?.minor)
            #expect(state.refunded >= 0 && state.refunded <= state.captured)
            let payments = tables.find(PaymentRow.self, where: "orders", is: order.key, limit: 10)
            let captured = payments.filter { $0.state.phase == .captured }
                .reduce(Int64(0)) { $0 + ($1.state.requested?.amount.minor ?? 0) }
            #expect(captured == state.captured)
            if state.phase == .cancelled { #expect(state.captured == state.refunded) }
            // A buyer who has paid never owes more.
            if state.captured > 0 { #expect(state.isPaid, "\(order.key): \(state)") }
            if state.phase == .collected { #expect(state.captured >= lines) }
        }
    }
}
