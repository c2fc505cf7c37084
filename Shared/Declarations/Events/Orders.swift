extension Family {
    public static let orders = Family(
        "orders", "Carts, orders and their payments.",
        records: [.orderImportedLine, .orderLine, .orderPayment, .orderRecord],
        enums: [.paymentMethod, .orderState, .paymentState, .cartReleaseReason, .cancelReason]
    ) {
        EventType("cart-held", "Stock was reserved for a whole cart, replacing its earlier reservation.") {
            Field("buyer", .personID, "The buyer; the person's data is in a vault.")
            Field("lines", .list(of: .record(.orderLine)), "All lines of the cart.")
            Field("until", .instant, "When the reservation ends.")
        }
        EventType("cart-released", "The stock reserved for a cart was released.") {
            Field("buyer", .personID, "The buyer; the person's data is in a vault.")
            Field("why", .enumeration(.cartReleaseReason), "Why it was released.")
        }
        EventType(
            "order-placed",
            "A buyer placed an order; its stock is reserved until it is collected or cancelled."
        ) {
            Field("order", .orderID, "The order.")
            Field("buyer", .personID, "The buyer; the person's data is in a vault.")
            Field("lines", .list(of: .record(.orderLine)), "The lines of the order.")
            Field("total", .money, "The sum of the lines.")
            Field("pickup", .pickupID, "The pickup place.")
            Field("payment", .enumeration(.paymentMethod), "How the order is paid.")
            Field("until", .instant.optional, "The deadline of the payment; nil if it is paid at the pickup.")
        }
        EventType("order-changed", "The buyer changed an order: all its lines after the change.") {
            Field("order", .orderID, "The order.")
            Field("lines", .list(of: .record(.orderLine)), "All lines after the change.")
            Field("total", .money, "The sum of the lines after the change.")
            Field("pickup", .pickupID, "The pickup place after the change.")
        }
        EventType("order-cancelled", "An order was cancelled; its stock is available again.") {
            Field("order", .orderID, "The order.")
            Field("why", .enumeration(.cancelReason), "Who or what cancelled it.")
            Field("reason", .text.optional, "The reason in words.")
        }
        EventType("order-collected", "The buyer collected the goods of an order.") {
            Field("order", .orderID, "The order.")
        }
        EventType("order-refunded", "A refund of an order was decided, in whole or in part.") {
            Field("order", .orderID, "The order.")
            Field("refund", .refundID, "The refund.")
            Field("amount", .money, "The amount that is returned.")
            Field("reason", .text, "The reason in words.")
            Field("method", .enumeration(.paymentMethod), "How the money is returned.")
        }
        EventType(
            "order-recalled",
            "Lots of an order were recalled; the buyer must be warned, whether or not the order was collected."
        ) {
            Field("order", .orderID, "The order.")
            Field("buyer", .personID, "The buyer; the person's data is in a vault.")
            Field("lots", .list(of: .lotID), "The recalled lots of the order.")
            Field("reason", .text, "The reason in words.")
            Field("isCollected", .boolean, "Whether the order was collected; if not, it is no longer handed out.")
        }
        EventType(
            "order-imported",
            "A past order from another system; it changes no stock and no payments, but is used for recommendations."
        ) {
            Field("order", .orderID, "The order.")
            Field("buyer", .personID, "The buyer; the person's data, if any, is in a vault.")
            Field("lines", .list(of: .record(.orderImportedLine)), "The products bought.")
        }
        EventType(
            "order-record-changed",
            "An order changed. The market records it as a whole in the commit that changes it; others store it."
        ) {
            Field("buyer", .personID, "The buyer; the person's data is in a vault.")
            Field("record", .record(.orderRecord), "The order after the change.")
        }
        EventType("payment-requested", "The payment of an order was requested.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("amount", .money, "The amount to pay.")
            Field("method", .enumeration(.paymentMethod), "How it is paid.")
            Field("until", .instant.optional, "When the payment intent expires; nil if it does not.")
        }
        EventType("payment-opened", "The payment provider opened a payment and waits for the buyer.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("reference", .text, "The provider's id of the payment.")
            Field("page", .text.optional, "The address of the page on which the buyer pays.")
        }
        EventType("payment-authorized", "The payment provider authorized the amount.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("amount", .money, "The authorized amount.")
        }
        EventType("payment-captured", "The payment was captured: the farm has the money.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("amount", .money, "The amount that was paid.")
            Field("method", .enumeration(.paymentMethod), "How it was paid.")
        }
        EventType("payment-failed", "A payment failed; another attempt is another payment.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("reason", .text, "The provider's reason; `declined` if it gave none.")
        }
        EventType("payment-voided", "A payment that was not made was cancelled.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("reason", .text, "The reason in words.")
        }
        EventType("payment-refunded", "The money of a refund was returned.") {
            Field("payment", .paymentID, "The attempt to pay.")
            Field("order", .orderID, "The order.")
            Field("refund", .refundID, "The refund.")
            Field("amount", .money, "The amount that was returned.")
        }
    }
}

extension RecordType {
    static let orderImportedLine = RecordType("OrderImported.Line", "A product and the number of units bought.") {
        Field("product", .productID, "The product.")
        Field("quantity", .integer, "The number of units.")
    }
}

extension RecordType {
    static let orderLine = RecordType(
        "OrderLine",
        "One line of a cart or an order, with the price at the time of ordering."
    ) {
        Field("offer", .offerID.optional, "The offer that was accepted; omitted if there was none.")
        Field("product", .productID, "The product.")
        Field("lot", .lotID.optional, "The lot from which its boxes are taken.")
        Field("farm", .farmID.optional, "The farm that sells it; omitted if it is unknown.")
        Field("quantity", .integer, "The number of units of the product.")
        Field("boxes", .integer, "The number of boxes of the lot for all units.")
        Field("unitPrice", .money, "The price of one unit.")
        Field("amount", .money, "The price of all units.")
    }
}

extension RecordType {
    static let orderRecord = RecordType("OrderRecord", "An order as its buyer and the staff see it.") {
        Field("order", .orderID, "The order.")
        Field("state", .enumeration(.orderState), "Whether it is open, collected or cancelled.")
        Field("placed", .instant, "When it was placed.")
        Field("lines", .list(of: .record(.orderLine)), "Its lines.")
        Field("total", .money, "The sum of the lines.")
        Field("pickup", .pickupID, "The pickup place.")
        Field("payment", .enumeration(.paymentMethod), "How it is paid.")
        Field("paid", .money, "The amount that was paid.")
        Field("refunded", .money, "The refunds that were decided, returned or not.")
        Field("returned", .money, "The part of the refunds that the buyer has back.")
        Field("owed", .money, "The amount that is still to be paid.")
        Field("payBefore", .instant.optional, "The deadline of the payment while it is not paid; nil at the pickup.")
        Field("reason", .text.optional, "Why it was cancelled: `buyer`, `staff`, `unpaid`, `recalled`, or in words.")
        Field("recalled", .text.optional, "Why lots of it were recalled.")
        Field("payments", .list(of: .record(.orderPayment)), "The attempts to pay it, the decisive one last.")
    }

    static let orderPayment = RecordType("OrderPayment", "An attempt to pay an order.") {
        Field("payment", .paymentID, "The attempt.")
        Field("state", .enumeration(.paymentState), "How far it is.")
        Field("method", .enumeration(.paymentMethod), "How it is paid.")
        Field("amount", .money, "The amount to pay.")
        Field("page", .text.optional, "The address of the page on which the buyer pays, while it is open.")
        Field("refunded", .money, "The amount that was returned.")
    }
}

extension EnumType {
    static let orderState = EnumType(
        "OrderState", "Whether an order is open.",
        [
            Case("placed", "It is open."), Case("collected", "The buyer collected the goods."),
            Case("cancelled", "It was cancelled."),
        ])

    static let paymentState = EnumType(
        "PaymentState", "How far an attempt to pay is.",
        [
            Case("requested", "The provider was asked for it."), Case("opened", "The provider waits for the buyer."),
            Case("authorized", "The provider authorised the amount."), Case("captured", "The farm has the money."),
            Case("failed", "It failed."), Case("voided", "It was cancelled before it was made."),
        ])
}

extension EnumType {
    static let paymentMethod = EnumType(
        "PaymentMethod", "How an order is paid.",
        [
            Case("at-pickup", "Cash at the pickup."),
            Case("sandbox", "The sandbox provider, which moves no real money."),
        ])
}

extension EnumType {
    static let cartReleaseReason = EnumType(
        "CartReleaseReason", "Why the stock reserved for a cart was released.",
        [
            Case("ordered", "An order was placed from the cart."),
            Case("emptied", "The buyer emptied the cart."),
            Case("expired", "The time of the reservation ended."),
            Case("blocked", "A lot in it was recalled."),
            Case("erased", "The buyer's data was erased."),
        ])
}

extension EnumType {
    static let cancelReason = EnumType(
        "CancelReason", "Why an order was cancelled.",
        [
            Case("buyer", "The buyer cancelled it."),
            Case("staff", "The staff cancelled it."),
            Case("unpaid", "It was not paid in time."),
            Case("recalled", "A lot in it was recalled."),
        ])
}
