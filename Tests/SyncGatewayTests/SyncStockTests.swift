import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

/// The stock of boxes that clients pull.
extension SyncTests {
    @Test func `carts and orders reserve stock and release it, and a recalled lot has none`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            hub.tell(try shop())
            let person = PersonID("0191d9a2-7cde-7cc3-98c4-dc0c0c07398f")
            let placed = try order("ord-1", 3, by: person.rawValue)
            func free() throws -> Int? {
                try pull(harness).json["changes"]?["lots"]?["created"]?.array?.first { _ in true }?.get("free")
            }
            #expect(try free() == 10)
            hub.tell([.orders(.cartHeld(CartHeld(buyer: person, lines: placed.lines, until: GatewayHarness.start)))])
            #expect(try free() == 7)
            hub.tell([
                .orders(.cartReleased(CartReleased(buyer: person, why: .ordered))), .orders(.orderPlaced(placed)),
            ])
            #expect(try free() == 7)
            let fewer = try order("ord-1", 1, by: person.rawValue)
            hub.tell([
                .orders(
                    .orderChanged(
                        OrderChanged(
                            order: placed.order, lines: fewer.lines, total: fewer.total, pickup: fewer.pickup)))
            ])
            #expect(try free() == 9)
            hub.tell([.orders(.orderCancelled(OrderCancelled(order: placed.order, why: .buyer, reason: nil)))])
            #expect(try free() == 10)
            hub.tell([.trace(.lotRecalled(LotRecalled(lot: LotID("L1"), includes: [], reason: "Glass")))])
            #expect(try free() == 0)
        }
    }

    @Test func `a handed-over lot has no stock, and is removed once no order is open for it`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            let placed = try order("ord-1", 3, by: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f")
            hub.tell(try shop() + [.orders(.orderPlaced(placed))])
            func free() throws -> [Int] {
                try pull(harness).json["changes"]?["lots"]?["created"]?.array?.map { try $0.get("free") } ?? []
            }
            #expect(try free() == [7])
            hub.tell([.trace(.handedOver(HandedOver(lot: LotID("L1"), to: "Mercado Central")))])
            #expect(try free() == [0])
            hub.tell([.orders(.orderCancelled(OrderCancelled(order: placed.order, why: .staff, reason: nil)))])
            #expect(try free() == [])
        }
    }

    @Test func `a sold-out lot leaves the clients after collection, and returns with boxes or a recall`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            hub.tell(try shop())
            let first = try pull(harness)
            let placed = try order("ord-1", 10, by: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f")
            hub.tell([.orders(.orderPlaced(placed))])
            #expect(try pull(harness).ids("lots", "created") == ["L1"], "it may be cancelled")
            hub.tell([.orders(.orderCollected(OrderCollected(order: placed.order)))])
            let over = try pull(harness, since: first)
            #expect(try over.ids("lots", "deleted") == ["L1"] && over.ids("offers", "deleted") == ["o1"])
            let anew = try pull(harness)
            #expect(try anew.ids("lots", "created").isEmpty && anew.ids("offers", "created").isEmpty)
            #expect(try anew.ids("products", "created") == ["tom"])

            hub.tell([
                .catalog(.offerRepriced(OfferRepriced(offer: OfferID("o1"), price: try price(350)))),
                .catalog(.stockAdjusted(StockAdjusted(lot: LotID("L1"), by: 2, reason: "Found"))),
            ])
            let back = try pull(harness, since: over)
            #expect(try back.ids("lots", "created") == ["L1"] && back.ids("offers", "created") == ["o1"])
            let offer = try #require(back.json["changes"]?["offers"]?["created"]?.array?.first { _ in true })
            #expect(try offer["price"]?.get("minor") == 350)

            hub.tell([.catalog(.stockSet(StockSet(lot: LotID("L1"), boxes: 0)))])
            #expect(try pull(harness, since: back).ids("offers", "deleted") == ["o1"])
            hub.tell([.trace(.lotRecalled(LotRecalled(lot: LotID("L1"), includes: [], reason: "Glass")))])
            let recalled = try pull(harness)
            #expect(try recalled.ids("lots", "created") == ["L1"] && recalled.ids("offers", "created") == ["o1"])
        }
    }
}
