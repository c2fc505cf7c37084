import EventSourcing
import TestKit
import Testing

@testable import CatalogOrders

@Suite("Stock rules")
struct StockTests {
    private let ten: [Stock.Movement] = [.counted(10)]

    @Test func `a lot is sold to the last box and not beyond`() throws {
        try given(Stock.self, ten).when(.order(boxes: 10, fromCart: 0, insteadOf: 0)).then(.ordered(10))
        try given(Stock.self, ten).when(.order(boxes: 11, fromCart: 0, insteadOf: 0)).refuses(.soldOut(left: 10))
        try given(Stock.self, ten + [.ordered(10)]).when(.order(boxes: 1, fromCart: 0, insteadOf: 0))
            .refuses(.soldOut(left: 0))
        try given(Stock.self).when(.order(boxes: 1, fromCart: 0, insteadOf: 0)).refuses(.soldOut(left: 0))
    }

    @Test func `boxes reserved for a cart are sold only to the buyer of the cart`() throws {
        let held = ten + [.held(8)]
        try given(Stock.self, held).when(.order(boxes: 3, fromCart: 0, insteadOf: 0)).refuses(.soldOut(left: 2))
        try given(Stock.self, held).when(.order(boxes: 8, fromCart: 8, insteadOf: 0)).then(.released(8), .ordered(8))
        try given(Stock.self, held).when(.order(boxes: 10, fromCart: 8, insteadOf: 0)).then(.released(8), .ordered(10))
        try given(Stock.self, held).when(.hold(boxes: 10, insteadOf: 8)).then(.released(8), .held(10))
        try given(Stock.self, held).when(.hold(boxes: 11, insteadOf: 8)).refuses(.soldOut(left: 10))
    }

    @Test func `a changed order first uses the boxes that it already has`() throws {
        let ordered = ten + [.ordered(6)]
        try given(Stock.self, ordered).when(.order(boxes: 10, fromCart: 0, insteadOf: 6)).then(
            .returned(6), .ordered(10))
        try given(Stock.self, ordered).when(.order(boxes: 11, fromCart: 0, insteadOf: 6)).refuses(.soldOut(left: 10))
        try given(Stock.self, ordered).when(.order(boxes: 2, fromCart: 0, insteadOf: 6)).then(.returned(6), .ordered(2))
    }

    @Test func `the stock of a lot cannot be set below the promised boxes`() throws {
        let promised = ten + [.held(2), .ordered(3)]
        try given(Stock.self, promised).when(.count(boxes: 5)).then(.counted(5))
        try given(Stock.self, promised).when(.count(boxes: 4)).refuses(.promised(5))
        try given(Stock.self, promised).when(.adjust(by: -5)).then(.adjusted(-5))
        try given(Stock.self, promised).when(.adjust(by: -6)).refuses(.promised(5))
        try given(Stock.self).when(.count(boxes: MarketLimits.boxes + 1)).refuses(.tooMany(most: MarketLimits.boxes))
    }

    @Test func `a blocked lot is not sold, but its ordered boxes can be returned`() throws {
        let blocked = ten + [.ordered(6), .blocked("glass")]
        try given(Stock.self, blocked).when(.order(boxes: 1, fromCart: 0, insteadOf: 0))
            .refuses(.blocked(reason: "glass"))
        try given(Stock.self, blocked).when(.hold(boxes: 1, insteadOf: 0)).refuses(.blocked(reason: "glass"))
        try given(Stock.self, blocked).when(.order(boxes: 2, fromCart: 0, insteadOf: 6)).then(.returned(6), .ordered(2))
        try given(Stock.self, blocked).when(.block(reason: "again")).then()
        #expect(Stock.fold(blocked).free == 0)
    }

    @Test func `collected boxes leave the stock`() {
        let state = Stock.fold(ten + [.ordered(6), .collected(4), .returned(2)])
        #expect(state == Stock.State(boxes: 6, held: 0, ordered: 0, collected: 4, blocked: nil))
    }
}
