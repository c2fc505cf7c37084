import EventSourcing
import Events
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("Payment rules")
struct PaymentTests {
    private let amount: Money
    private let requested: OrdersEvent
    private let captured: OrdersEvent
    private let voided = OrdersEvent.paymentVoided(PaymentVoided(payment: "p", order: "o", reason: "late"))
    private let failed = OrdersEvent.paymentFailed(PaymentFailed(payment: "p", order: "o", reason: "declined"))
    private let authorized: OrdersEvent

    init() throws {
        amount = Money(2580, try #require(Currency("EUR")))
        requested = .paymentRequested(
            PaymentRequested(payment: "p", order: "o", amount: amount, method: .sandbox, until: nil))
        captured = .paymentCaptured(PaymentCaptured(payment: "p", order: "o", amount: amount, method: .sandbox))
        authorized = .paymentAuthorized(PaymentAuthorized(payment: "p", order: "o", amount: amount))
    }

    @Test func `a payment is captured once, even after a failure or repeated and late reports`() throws {
        for before in [[], [authorized], [failed], [voided]] {
            try given(Payment.self, [requested] + before).when(.capture(amount)).then(captured)
            try given(Payment.self, [requested] + before + [captured]).when(.capture(amount)).then()
        }
        for late in [Payment.Command.authorize(amount), .fail(reason: "declined")] {
            try given(Payment.self, [requested, captured]).when(late).then()
        }
        try given(Payment.self, [requested, captured]).when(.void(reason: "late")).refuses(.captured)
    }

    @Test func `a report with another amount than requested is refused`() throws {
        let other = Money(1, amount.currency)
        try given(Payment.self, [requested]).when(.capture(other)).refuses(.amount(asked: amount))
        try given(Payment.self, [requested]).when(.authorize(other)).refuses(.amount(asked: amount))
        try given(Payment.self).when(.capture(amount)).refuses(.unknown)
    }

    @Test func `refunds of a payment never exceed its amount, and each is recorded once`() throws {
        let all = [requested, captured]
        let back = OrdersEvent.paymentRefunded(PaymentRefunded(payment: "p", order: "o", refund: "r", amount: amount))
        try given(Payment.self, [requested]).when(.refund("r", amount)).refuses(.notCaptured)
        try given(Payment.self, all).when(.refund("r", amount)).then(back)
        try given(Payment.self, all + [back]).when(.refund("r", amount)).then()
        try given(Payment.self, all + [back]).when(.refund("r2", Money(1, amount.currency))).refuses(.tooMuch)
    }

    @Test func `a payment ends captured once for every order of the provider's reports`() throws {
        let words: [Payment.Command] = [
            .open(reference: "x", page: nil), .authorize(amount), .capture(amount), .capture(amount),
            .fail(reason: "declined"), .authorize(amount),
        ]
        var ends: Set<String> = []
        var orders = 0
        func say(_ rest: [Payment.Command], _ state: Payment.State, captures: Int) throws {
            guard !rest.isEmpty else {
                ends.insert("\(state.phase) \(captures)")
                orders += 1
                return
            }
            for index in rest.indices {
                var (others, after) = (rest, state)
                let facts = try Payment.decide(others.remove(at: index), in: state)
                for fact in facts { Payment.evolve(&after, with: fact) }
                let count = facts.count { if case .paymentCaptured = $0 { true } else { false } }
                try say(others, after, captures: captures + count)
            }
        }
        try say(words, Payment.fold([requested]), captures: 0)
        print("payments: \(orders) orders of a provider's words")
        #expect(orders == 720)
        #expect(ends == ["captured 1"])
    }
}
