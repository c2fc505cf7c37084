import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("Import of past orders")
struct ImportTests {
    private static let ann = "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"

    private static func batch(
        _ order: String = "old-1", product: String = "eggs", placed: String = "2020-05-01T10:00:00Z",
        quantity: Int = 2, buyer: String = ann
    ) -> String {
        #"{"orders":[{"order":"\#(order)","buyer":"\#(buyer)","placed":"\#(placed)","#
            + #""lines":[{"product":"\#(product)","quantity":\#(quantity)}]}]}"#
    }

    @Test func `an order imported twice is recorded once, with its original time, and takes no stock`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let free = market.stock("L2").free
            #expect(try market.staff("import-orders", Self.batch()).get("orders", as: Int.self) == 1)
            // The same order in another batch.
            try market.staff("import-orders", Self.batch())
            try market.staff("import-orders", Self.batch("old-2"))
            #expect(try market.count(OrderImported.name) == 2)
            #expect(market.stock("L2").free == free)
            let entries = try market.core.log.reader().entries(from: 1, through: market.core.log.head.position)
            let told = try entries.map { try RecordedEvent(reading: $0.bytes) }.filter { told in
                if case .orders(.orderImported) = told.fact { true } else { false }
            }
            #expect(told.first?.envelope.time == Instant("2020-05-01T10:00:00Z"))
            #expect(told.first?.envelope.stream == "order/old-1")
        }
    }

    @Test func `an invalid import is refused with its status and problem code`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let own: String = try market.order("ben", 1).get("order")
            for (body, refusal) in [
                (Self.batch(own), "409 known"), (Self.batch(product: "gold"), "404 unknown-product"),
                (Self.batch(placed: "2999-01-01T00:00:00Z"), "422 future"),
                (Self.batch(quantity: 0), "400 malformed"), (Self.batch("a b"), "400 malformed"),
                (Self.batch(buyer: "anna-huber"), "400 malformed"),
                (Self.batch(buyer: Self.ann.uppercased()), "400 malformed"),
                (#"{"orders":[]}"#, "400 malformed"),
            ] {
                #expect(try market.refusal("gina", "import-orders", body) == refusal)
            }
        }
    }

    @Test func `an imported order names its buyer by a UUID, and another name is refused`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let (_, json) = try market.ask("import-orders", Self.batch(buyer: "anna-huber"), by: .person("gina"))
            let detail: String = try json.get("detail")
            #expect(detail.contains("old-1") && detail.contains("buyer") && detail.contains("UUID"))
            try market.staff("import-orders", Self.batch())
            let bytes = try market.core.log.reader().entries(from: 1, through: market.core.log.head.position)
            #expect(bytes.contains { String(decoding: $0.bytes, as: UTF8.self).contains(Self.ann) })
            #expect(!bytes.contains { String(decoding: $0.bytes, as: UTF8.self).contains("anna-huber") })
        }
    }
}
