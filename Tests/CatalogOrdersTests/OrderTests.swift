import EventSourcing
import Events
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("Order rules")
struct OrderTests {
    private let euro: Currency

    init() throws {
        euro = try #require(Currency("EUR"))
    }

    private func line(_ quantity: Int, lot: LotID = "L1", price: Int64 = 1000) -> OrderLine {
        OrderLine(
            offer: "o1", product: "p", lot: lot, farm: "f", quantity: quantity, boxes: quantity,
            unitPrice: Money(price, euro), amount: Money(price * Int64(quantity), euro))
    }

    private func placed(
        _ lines: [OrderLine], _ payment: PaymentMethod = .atPickup, until: Instant? = nil
    ) throws -> OrdersEvent {
        let total = try #require(Money.sum(lines.map(\.amount)))
        return .orderPlaced(
            OrderPlaced(
                order: "o", buyer: "b", lines: lines, total: total, pickup: "barn", payment: payment, until: until))
    }

    private func captured(_ minor: Int64) -> OrdersEvent {
        .paymentCaptured(PaymentCaptured(payment: "p", order: "o", amount: Money(minor, euro), method: .sandbox))
    }

    private func refunded(_ minor: Int64, _ reason: String) -> OrdersEvent {
        .orderRefunded(
            OrderRefunded(order: "o", refund: "r", amount: Money(minor, euro), reason: reason, method: .sandbox))
    }

    private func changed(_ lines: [OrderLine]) throws -> OrdersEvent {
        let total = try #require(Money.sum(lines.map(\.amount)))
        return .orderChanged(OrderChanged(order: "o", lines: lines, total: total, pickup: "barn"))
    }

    private func cancelled(_ why: CancelReason, _ reason: String? = nil) -> OrdersEvent {
        .orderCancelled(OrderCancelled(order: "o", why: why, reason: reason))
    }

    private let collected = OrdersEvent.orderCollected(OrderCollected(order: "o"))

    @Test func `a collected or cancelled order cannot be collected, cancelled or changed`() throws {
        let start = try placed([line(2)])
        for end in [collected, cancelled(.buyer)] {
            let phase = Order.fold([start, end]).phase
            try given(Order.self, [start, end]).when(.collect).refuses(.over(phase))
            try given(Order.self, [start, end]).when(.cancel(why: .buyer, reason: nil, refund: "r"))
                .refuses(.over(phase))
            try given(Order.self, [start, end])
                .when(.change(lines: [line(1)], total: Money(1000, euro), pickup: "barn", refund: "r"))
                .refuses(.over(phase))
        }
        try given(Order.self).when(.collect).refuses(.unknown)
    }

    @Test func `an order with payment in advance is collected only after it is paid`() throws {
        let start = try placed([line(2)], .sandbox)
        try given(Order.self, [start]).when(.collect).refuses(.unpaid)
        try given(Order.self, [start, captured(2000)]).when(.collect).then(collected)
        try given(Order.self, [try placed([line(2)])]).when(.collect).then(collected)
    }

    @Test func `a payment is retried only after all earlier ones failed and before the order expires`() throws {
        let until = Instant(microseconds: 900_000_000)
        let now = Instant(microseconds: 899_999_999)
        let start = try placed([line(2)], .sandbox, until: until)
        let again = OrdersEvent.paymentRequested(
            PaymentRequested(payment: "p2", order: "o", amount: Money(2000, euro), method: .sandbox, until: until))
        func tried(_ before: [PaymentState], at time: Instant? = nil) -> Order.Command {
            .payAgain("p2", after: before, at: time ?? now)
        }
        try given(Order.self, [start]).when(tried([.failed])).then(again)
        try given(Order.self, [start]).when(tried([.voided, .failed])).then(again)
        for open in [PaymentState.requested, .opened, .authorized, .captured] {
            try given(Order.self, [start]).when(tried([.failed, open])).refuses(.inPayment)
        }
        try given(Order.self, [start, captured(2000)]).when(tried([.failed])).refuses(.paid)
        try given(Order.self, [start]).when(tried([.failed], at: until)).refuses(.tooLate)
        try given(Order.self, [start, cancelled(.unpaid)]).when(tried([.failed])).refuses(.over(.cancelled))
        try given(Order.self, [try placed([line(2)])]).when(tried([])).refuses(.inHand)
        let often = Array(repeating: PaymentState.failed, count: MarketLimits.payments)
        try given(Order.self, [start]).when(tried(often)).refuses(.tooOften)
        try given(Order.self, [start]).when(tried(Array(often.dropLast()))).then(again)
    }

    @Test func `a cancelled order refunds what was captured and not refunded before`() throws {
        let start = try placed([line(2)], .sandbox)
        try given(Order.self, [start]).when(.cancel(why: .buyer, reason: nil, refund: "r")).then(cancelled(.buyer))
        try given(Order.self, [start, captured(2000)]).when(.cancel(why: .buyer, reason: "ill", refund: "r"))
            .then(cancelled(.buyer, "ill"), refunded(2000, "ill"))
        try given(Order.self, [start, captured(2000), refunded(500, "x")])
            .when(.cancel(why: .staff, reason: "flood", refund: "r"))
            .then(cancelled(.staff, "flood"), refunded(1500, "flood"))
    }

    @Test func `a payment captured for a cancelled order is refunded`() throws {
        let start = try placed([line(2)], .sandbox)
        try given(Order.self, [start, cancelled(.unpaid)]).when(.settle(captured(2000), refund: "r"))
            .then(captured(2000), refunded(2000, "paid too late or too much"))
        try given(Order.self, [start]).when(.settle(captured(2000), refund: "r")).then(captured(2000))
    }

    @Test func `a paid order can become cheaper with a refund, but not dearer`() throws {
        let paid = [try placed([line(2)], .sandbox), captured(2000)]
        try given(Order.self, paid)
            .when(.change(lines: [line(1)], total: Money(1000, euro), pickup: "barn", refund: "r"))
            .then(changed([line(1)]), refunded(1000, "changed by the buyer"))
        try given(Order.self, paid)
            .when(.change(lines: [line(3)], total: Money(3000, euro), pickup: "barn", refund: "r")).refuses(.dearer)
        try given(Order.self, [paid[0]])
            .when(.change(lines: [line(1)], total: Money(1000, euro), pickup: "barn", refund: "r")).refuses(.paying)
    }

    @Test func `a paid order remains paid after a goodwill refund`() throws {
        let gift = [try placed([line(2)], .sandbox), captured(2000), refunded(500, "bruised")]
        func change(to count: Int) -> Order.Command {
            .change(lines: [line(count)], total: Money(Int64(count) * 1000, euro), pickup: "barn", refund: "r")
        }
        try given(Order.self, gift).when(.collect).then(collected)
        try given(Order.self, gift).when(change(to: 2)).then(changed([line(2)]))
        try given(Order.self, gift).when(change(to: 1)).then(changed([line(1)]), refunded(1000, "changed by the buyer"))
        try given(Order.self, gift).when(change(to: 3)).refuses(.dearer)
        try given(Order.self, gift + [refunded(1200, "x")]).when(change(to: 1))
            .then(changed([line(1)]), refunded(300, "changed by the buyer"))
        try given(Order.self, gift).when(.settle(captured(2000), refund: "r"))
            .then(captured(2000), refunded(2000, "paid too late or too much"))
        let both = [try placed([line(2), line(1, lot: "L2", price: 300)], .sandbox), captured(2300)]
        try given(Order.self, both + [refunded(100, "x")]).when(.drop(lots: ["L2"], reason: "glass", refund: "r"))
            .then(changed([line(2)]), refunded(300, "glass"))
    }

    @Test func `refunds of an order never exceed what was captured`() throws {
        let paid = [try placed([line(2)], .sandbox), captured(2000), collected]
        try given(Order.self, paid).when(.refund("r", Money(500, euro), reason: "bruised")).then(
            refunded(500, "bruised"))
        try given(Order.self, paid + [refunded(1500, "x")]).when(.refund("r", Money(501, euro), reason: "bruised"))
            .refuses(.tooMuch(left: 500))
        try given(Order.self, paid).when(.refund("r", Money(0, euro), reason: "x")).refuses(.nothing)
    }

    @Test func `an order loses its recalled lines, and is cancelled if none is left`() throws {
        let both = [try placed([line(2), line(1, lot: "L2", price: 300)], .sandbox), captured(2300)]
        try given(Order.self, both).when(.drop(lots: ["L2"], reason: "glass", refund: "r"))
            .then(changed([line(2)]), refunded(300, "glass"))
        try given(Order.self, both).when(.drop(lots: ["L1", "L2"], reason: "glass", refund: "r"))
            .then(cancelled(.recalled, "glass"), refunded(2300, "glass"))
        try given(Order.self, both).when(.drop(lots: ["L9"], reason: "glass", refund: "r")).then()
        try given(Order.self, both + [collected]).when(.drop(lots: ["L1"], reason: "glass", refund: "r")).then()
    }
}
