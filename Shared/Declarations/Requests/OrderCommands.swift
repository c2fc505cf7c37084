// Promotions, carts, orders and payments.
extension CommandType {
    static let promotions = [
        CommandType(
            "publish-promotion",
            "Publishes a promotion of a product or of a category, or replaces its rule. Times of day are the farm's."
        ) {
            Member("promotion", .name("PromotionID"), "The name of the promotion, which stays.")
            Member("title", .line(80), "What people see first.")
            Member("text", .lines(500).optional, "What they read below it.")
            Member("product", .name("ProductID").optional, "The product; either this or a category is named.")
            Member("category", .line(40).optional, "The category.")
            Member("lot", .name("LotID").optional, "The lot, if it is for the offers of this lot only.")
            Member("area", .record(.area).optional, "The circle in which it is shown.")
            Member("county", .line(60).optional, "The county in which it is shown.")
            Member("from", .instant, "When it begins.")
            Member("until", .instant, "When it ends, at most 92 days later.")
            Member("people", .whole(1...1_000_000).optional, "After how many people it ends.")
            Member("beforeClosing", .record(.closing).optional, "Shown only before a place closes.")
            Member("beacons", .line(120).optional, "Shown only near these beacons: `ibeacon:UUID:1:2`.")
            Member("node", .line(120).optional, "Shown only at this proxy node, by its name.")
            Member("farm", .name("FarmID").optional, "The farm, if a category is named.")
            Member("timesPerDay", .wholeDefaulting(to: 1, 1...20), "How often a day a device shows it; 1 by default.")
            Member(
                "heldBackPercent", .wholeDefaulting(to: 0, 0...50),
                "The share of people to whom it is not shown, in percent.")
            Member("priority", .wholeDefaulting(to: 5, 0...9), "The order among several: 9 first; 5 by default.")
            Member("audience", .oneOf(.promotionAudience).optional, "To whom it is shown; by default to everyone.")
            Member("notifies", .flag, "Whether devices are notified that asked for it.")
            Member("hours", .record(.hours).optional, "The times of a week at which it is shown.")
        },
        CommandType("end-promotion", "Ends a promotion.") {
            Member("promotion", .name("PromotionID"), "The promotion.")
        },
        CommandType(
            "show-promotion",
            "Reports that a promotion was shown to the caller, or held back from them; only the first report counts."
        ) {
            Member("promotion", .name("PromotionID"), "The promotion.")
            Member("heldBack", .flag, "Whether it was held back.")
        },
    ]

    static let orders = [
        CommandType("hold-cart", "Reserves stock for a whole cart for ten minutes, or for none of it.") {
            Member("lines", .wishes, "What the cart contains.")
        },
        CommandType("empty-cart", "Releases the reservation."),
        CommandType("place-order", "Places an order of the lines, or without lines of the reservation.") {
            Member("lines", .wishes.optional, "What is ordered; by default what the cart contains.")
            Member("pickup", .name("PickupID"), "Where it is picked up.")
            Member("payment", .oneOf(.paymentMethod).optional, "How it is paid; by default when it is picked up.")
        },
        CommandType("change-order", "Replaces the lines of an order that is not collected yet.") {
            Member.order
            Member("lines", .wishes, "All lines of the order after the change.")
            Member("pickup", .name("PickupID").optional, "Where it is picked up; by default as before.")
        },
        CommandType("cancel-order", "Cancels an order.") {
            Member.order
            Member.optionalReason
        },
        CommandType("pay-again", "Starts another online payment of an order whose payment failed.") { Member.order },
        CommandType("call-off-order", "Cancels an order for the farm.") {
            Member.order
            Member.reason
        },
        CommandType(
            "collect-order",
            "Gives the goods out, and takes what is still to be paid. `person` is who did: if that is not the caller, "
                + "nothing is done (401)."
        ) {
            Member.order
            Member("person", .line.optional, "The person who gave the goods out; the gateway compares it.")
        },
        CommandType("refund-order", "Refunds an order, in whole or in part.") {
            Member.order
            Member("amount", .money(1...100_000_000), "What is given back.")
            Member.reason
        },
        CommandType(
            "import-orders",
            "Imports past orders of another shop, at most 200, each once. Buyers are identified by UUIDs."
        ) {
            Member("orders", .list(.record(.importedOrder), 1...200), "The orders.")
        },
        CommandType("tell-payment", swift: "ReportPayment", "Records what a payment provider reports of a payment.") {
            Member("payment", .name("PaymentID"), "The payment.")
            Member(
                "event", .words(["opened", "authorized", "captured", "failed", "refunded"]), "What became of it.")
            Member("reference", .line.optional, "The provider's number of an opened payment.")
            Member("page", .line(500).optional, "The page on which an opened payment is made.")
            Member("amount", .money(0...1_000_000_000_000_000).optional, "What was authorized, captured or refunded.")
            Member("refund", .name("RefundID").optional, "The refund.")
            Member("reason", .lines(200).optional, "Why it failed.")
        },
    ]
}

extension MemberType {
    /// What a buyer wants, in 1 to 50 lines.
    fileprivate static let wishes = list(.record(.wish), 1...50)
}

extension Member {
    fileprivate static let order = Member("order", .name("OrderID"), "The order.")
}

extension BodyRecord {
    fileprivate static let wish = BodyRecord(
        "CartItem", isCheckedByRules: true, "An offer that a buyer wants, and how many units of it."
    ) {
        Member("offer", .name("OfferID"), "The offer.")
        Member("quantity", .whole(1...1000), "The number of units.")
    }

    fileprivate static let importedOrder = BodyRecord("ImportedOrder", "A past order of another shop.") {
        Member("order", .name("OrderID"), "The number that the other shop gave it.")
        Member("buyer", .person, "The buyer.")
        Member("placed", .instant, "When it was placed.")
        Member("lines", .list(.record(.importedLine), 1...200), "What was bought.")
    }

    fileprivate static let importedLine = BodyRecord(
        "OrderImported.Line", isOfEvents: true, "A product and the number of units bought."
    ) {
        Member("product", .name("ProductID"), "The product.")
        Member("quantity", .whole(1...1000), "The number of units.")
    }

    fileprivate static let area = BodyRecord("PromotionArea", isOfEvents: true, "A circle.") {
        Member("latitude", .number(-90...90), "Degrees north of its centre, WGS 84.")
        Member("longitude", .number(-180...180), "Degrees east of its centre, WGS 84.")
        Member("metres", .whole(50...200_000), "Its radius.")
    }

    fileprivate static let closing = BodyRecord(
        "PromotionClosing", isOfEvents: true, "The last minutes before a pick-up point closes."
    ) {
        Member("pickup", .name("PickupID"), "The pick-up point.")
        Member("minutes", .whole(5...720), "How many of them.")
    }

    fileprivate static let hours = BodyRecord("TimesOfWeek", "Times of a week, by the clock of the farm.") {
        Member("weekdays", .listOrEmpty(.whole(1...7), atMost: 7), "1 for Monday to 7 for Sunday; none: every day.")
        Member("from", .clock.optional, "When it begins; by default at midnight.")
        Member("to", .clock.optional, "When it ends, after `from`; by default at midnight.")
    }
}
