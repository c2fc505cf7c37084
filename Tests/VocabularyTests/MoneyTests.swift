import Foundation
import JSON
import Testing
import Vocabulary

@Suite("Money")
struct MoneyTests {
    private let euro: Currency

    init() throws {
        euro = try #require(Currency("EUR"))
    }

    @Test func `knows currencies by three capital letters`() {
        #expect(Currency("CHF")?.code == "CHF")
        for wrong in ["", "eu", "eur", "EURO", "E1R", "ÄÖÜ"] { #expect(Currency(wrong) == nil, "\(wrong)") }
    }

    @Test func `is added, taken away and multiplied, and never silently too much`() throws {
        let franc = try #require(Currency("CHF"))
        #expect(Money(390, euro).times(3) == Money(1170, euro))
        #expect(Money(390, euro).plus(Money(-90, euro)) == Money(300, euro))
        #expect(Money(390, euro).minus(Money(400, euro)) == Money(-10, euro))
        #expect(Money(1, euro).plus(Money(1, franc)) == nil)
        #expect(Money(1, euro).minus(Money(1, franc)) == nil)
        #expect(Money(.max, euro).plus(Money(1, euro)) == nil)
        #expect(Money(.min, euro).minus(Money(1, euro)) == nil)
        #expect(Money(.max / 2, euro).times(3) == nil)
        #expect(Money.sum([Money(1, euro), Money(2, euro), Money(3, euro)]) == Money(6, euro))
        #expect(Money.sum([Money]()) == nil)
        #expect(Money.sum([Money(1, euro), Money(2, franc)]) == nil)
    }

    @Test func `is written and read in the smallest unit`() throws {
        var json = JSONWriter()
        Money(-390, euro).write(to: &json)
        #expect(json.text == #"{"minor":-390,"currency":"EUR"}"#)
        #expect(try Money(json: JSONValue.parse(json.text)) == Money(-390, euro))
        for wrong in [#"{"minor":3.9,"currency":"EUR"}"#, #"{"minor":390,"currency":"eur"}"#, #"{"minor":390}"#] {
            #expect(throws: JSONError.self) { try Money(json: JSONValue.parse(wrong)) }
        }
    }

    @Test func `is divided by largest remainders as published vectors say`() throws {
        let path = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../shared/data/market/money_prorate_vectors.json").standardizedFileURL.path()
        guard let data = FileManager.default.contents(atPath: path) else {
            print("SKIPPED money_prorate_vectors.json: the data set is not beside the package")
            return
        }
        let vectors = try JSONValue.parse(Array(data))
        var checked = 0
        for vector in try vectors.get("prorate", as: [JSONValue].self) {
            let amount: Int64 = try vector.get("amt")
            let shares = try #require(try Money(amount, euro).shares(by: vector.get("w")))
            #expect(shares.map(\.minor) == (try vector.get("out", as: [Int64].self)), "\(amount)")
            checked += 1
        }
        for vector in try vectors.get("percent_fee_rounding", as: [JSONValue].self) {
            let price = Money(try vector.get("price_cents"), euro)
            #expect(price.basisPoints(try vector.get("rate_bp"))?.minor == (try vector.get("per_item_rounded")))
            checked += 1
        }
        print("money vectors: \(checked) checked")
        #expect(checked >= 12)
    }

    @Test func `divided adds up to itself, each part within one unit of its due`() {
        var state: UInt64 = 42
        func next(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % bound
        }
        for _ in 0..<2000 {
            let weights = (0..<Int(1 + next(12))).map { _ in next(5000) }
            let amount = next(200_000) - 100_000
            guard let shares = Money(amount, euro).shares(by: weights) else {
                Issue.record("no shares of \(amount) by \(weights)")
                continue
            }
            #expect(shares.reduce(0) { $0 + $1.minor } == amount)
            let total = weights.reduce(0, +)
            guard total > 0 else { continue }
            for (share, weight) in zip(shares, weights) {
                #expect(abs(share.minor * total - amount * weight) < total, "\(amount) by \(weights)")
            }
        }
    }

    @Test func `is not divided by nothing, by less than nothing, or beyond what a number holds`() {
        #expect(Money(10, euro).shares(by: []) == nil)
        #expect(Money(10, euro).shares(by: [1, -1]) == nil)
        #expect(Money(.max, euro).shares(by: [2, 2]) == nil)
        #expect(Money(.min, euro).shares(by: [1]) == nil)
        #expect(Money(10, euro).shares(by: [.max, 1]) == nil)
    }
}
