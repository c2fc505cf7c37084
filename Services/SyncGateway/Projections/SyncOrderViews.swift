import EventSourcing
import Events
import Vocabulary

/// Stores the records of the buyers' own orders, as the market publishes them.
enum SyncOrderViews {
    static func apply(_ fact: OrdersEvent, to board: SyncRecordWriter) {
        switch fact {
        case .orderRecordChanged(let event):
            // The market may have published it before it learned that the buyer was erased.
            guard board.tables.get(StaffRow.self, event.buyer.rawValue)?.erased == nil else { return }
            board.put("orders", event.record.order.rawValue, of: SyncViews.whose(event.buyer)) { json in
                event.record.write(fields: &json)
            }
        case .cartHeld, .cartReleased, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded,
            .orderRecalled, .orderImported, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentCaptured,
            .paymentFailed, .paymentVoided, .paymentRefunded:
            break
        }
    }

    /// Removes all records of an erased person.
    static func forget(_ person: PersonID, _ board: SyncRecordWriter) {
        board.forget(SyncViews.whose(person))
    }
}
