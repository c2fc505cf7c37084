public import Events
public import Vocabulary

/// The records of orders, as they follow from the events of the market: what the market has to publish.
///
/// It is written apart from the market's own projection, so that one can be checked by the other. Tests of services
/// that store the records use it in place of a market.
public struct OrderRecordModel {
    private struct Entry {
        let buyer: PersonID
        let until: Instant?
        var record: OrderRecord
    }

    private var entries: [OrderID: Entry] = [:]

    /// Creates a model without orders.
    public init() {}

    /// The record of each order.
    public var records: [OrderID: OrderRecord] { entries.mapValues(\.record) }

    /// Returns the record of the order that an event changes; nil if the event changes none.
    ///
    /// - Parameter time: the time of the event.
    public mutating func apply(_ fact: OrdersEvent, at time: Instant) -> OrderRecordChanged? {
        switch fact {
        case .orderPlaced(let event): return place(event, at: time)
        case .orderChanged(let event):
            return change(event.order) { record in
                (record.lines, record.total, record.pickup) = (event.lines, event.total, event.pickup)
            }
        case .orderCancelled(let event):
            return change(event.order) { record in
                record.state = .cancelled
                record.reason = event.reason ?? event.why.rawValue
            }
        case .orderCollected(let event): return change(event.order) { $0.state = .collected }
        case .orderRefunded(let event):
            return change(event.order) {
                $0.refunded = Money($0.refunded.minor + event.amount.minor, $0.total.currency)
            }
        case .orderRecalled(let event): return change(event.order) { $0.recalled = event.reason }
        case .paymentRequested(let event):
            return change(event.order) { record in
                let nothing = Money(0, event.amount.currency)
                record.payments.append(
                    OrderPayment(
                        payment: event.payment, state: .requested, method: event.method, amount: event.amount,
                        refunded: nothing))
            }
        case .paymentOpened(let event):
            return change(event.order, event.payment) { payment in
                guard payment.state == .requested else { return }
                (payment.state, payment.page) = (.opened, event.page)
            }
        case .paymentAuthorized(let event): return change(event.order, event.payment, to: .authorized)
        case .paymentFailed(let event): return change(event.order, event.payment, to: .failed)
        case .paymentVoided(let event): return change(event.order, event.payment, to: .voided)
        case .paymentCaptured(let event):
            _ = change(event.order) { $0.paid = Money($0.paid.minor + event.amount.minor, $0.total.currency) }
            return change(event.order, event.payment, to: .captured)
        case .paymentRefunded(let event):
            _ = change(event.order) { $0.returned = Money($0.returned.minor + event.amount.minor, $0.total.currency) }
            return change(event.order, event.payment) { payment in
                payment.refunded = Money(payment.refunded.minor + event.amount.minor, payment.amount.currency)
            }
        case .cartHeld, .cartReleased, .orderImported, .orderRecordChanged: return nil
        }
    }

    private mutating func place(_ event: OrderPlaced, at time: Instant) -> OrderRecordChanged? {
        let nothing = Money(0, event.total.currency)
        let record = OrderRecord(
            order: event.order, state: .placed, placed: time, lines: event.lines, total: event.total,
            pickup: event.pickup, payment: event.payment, paid: nothing, refunded: nothing, returned: nothing,
            owed: event.total, payments: [])
        entries[event.order] = Entry(buyer: event.buyer, until: event.until, record: record)
        return change(event.order) { _ in }
    }

    private mutating func change(
        _ order: OrderID, _ payment: PaymentID, to state: PaymentState
    ) -> OrderRecordChanged? {
        change(order, payment) { ($0.state, $0.page) = (state, nil) }
    }

    private mutating func change(
        _ order: OrderID, _ payment: PaymentID, _ body: (inout OrderPayment) -> Void
    ) -> OrderRecordChanged? {
        change(order) { record in
            for index in record.payments.indices where record.payments[index].payment == payment {
                body(&record.payments[index])
            }
        }
    }

    private mutating func change(_ order: OrderID, _ body: (inout OrderRecord) -> Void) -> OrderRecordChanged? {
        guard var entry = entries[order] else { return nil }
        body(&entry.record)
        let record = entry.record
        let owed = record.state == .cancelled ? 0 : max(0, record.total.minor - record.paid.minor)
        entry.record.owed = Money(owed, record.total.currency)
        entry.record.payBefore = record.state == .placed && owed > 0 ? entry.until : nil
        entry.record.payments.sort { (rank($0), $0.payment.rawValue) < (rank($1), $1.payment.rawValue) }
        entries[order] = entry
        return OrderRecordChanged(buyer: entry.buyer, record: entry.record)
    }

    private func rank(_ payment: OrderPayment) -> Int {
        switch payment.state {
        case .voided: 0
        case .failed: 1
        case .requested, .opened, .authorized, .captured: 2
        }
    }
}
