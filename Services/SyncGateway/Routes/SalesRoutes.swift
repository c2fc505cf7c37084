import Events
import Wire

/// The routes of carts and orders, for buyers and the staff.
extension Routes {
    static let sales: [Route] = [
        .open(
            "/v1/quote", .market(.quote),
            "The price of `offer:quantity,offer:quantity`; reserves nothing.",
            where: ["lines": .form(.wishes), "pickup?": .name],
            gives: .object(["lines": .list(.object(line)), "total": money])),
        .ownQuery(
            "/v1/cart", .market(.cart), "The buyer's reservation, and when it ends.", gives: .object(cart)),
        .command(
            .put, "/v1/cart", .market(.holdCart), for: .buyer, gives: cart, status: 200),
        .removal(
            "/v1/cart", .market(.emptyCart), for: .buyer, gives: [:]),
        .command(
            .post, "/v1/orders", .market(.placeOrder), for: .buyer, gives: order),
        .ownQuery(
            "/v1/orders", .market(.orders), "The buyer's orders, the newest first.", where: ["after?": .line],
            gives: .page(of: order)),
        .ownQuery("/v1/orders/{order}", .market(.order), "One order of the buyer.", gives: .object(order)),
        .command(
            .put, "/v1/orders/{order}", .market(.changeOrder), for: .buyer, gives: order, status: 200),
        .command(
            .post, "/v1/orders/{order}/cancellations", .market(.cancelOrder), for: .buyer, gives: order, status: 200),
        .command(
            .post, "/v1/orders/{order}/payments", .market(.payAgain), for: .buyer, gives: order),
        .query(
            "/v1/sales", .market(.soldOrders), "The orders of all buyers.",
            where: ["pickup?": .name, "state?": states, "lot?": .name, "after?": .line], gives: .page(of: sold)),
        .query(
            "/v1/packing", .market(.packing), "The goods to pack for each pickup place, for all its open orders.",
            where: ["pickup?": .name],
            gives: .page(of: [
                "pickup": .text, "title?": .text, "orders": .integer, "lines": .list(.object(packed)),
            ])),
        .query(
            "/v1/sales/{order}", .market(.soldOrder), "One order, with how to reach its buyer.",
            gives: .object(sold)),
        .command(
            .post, "/v1/sales/{order}/cancellations", .market(.callOffOrder), for: .grower, gives: order, status: 200),
        .command(
            .post, "/v1/sales/{order}/collections", .market(.collectOrder), for: .grower, gives: order),
        .command(
            .post, "/v1/sales/{order}/refunds", .market(.refundOrder), for: .grower, gives: order),
        .command(
            .post, "/v1/orders/imports", .market(.importOrders), for: .administrator, gives: ["orders": .integer]),
        .own(
            .post, "/v1/payments/notices", .hearNotice, for: .everyone,
            "Receives notices of a payment provider, signed as in Standard Webhooks 1.0; repeated ones are processed once.",
            headers: [
                "webhook-id": .name, "webhook-timestamp": .form(.seconds), "webhook-signature": .form(.signatures),
            ],
            takes: .json(notice), gives: .json(200, .object(["payment": .name, "news": .flag]))),
        .ownQuery(
            "/v1/favourites", .market(.favourites), "The buyer's favourites.",
            gives: .page(of: ["kind": kinds, "name": .name, "since": .time])),
        .command(
            .put, "/v1/favourites/{kind}/{name}", .market(.setFavourite), for: .buyer, gives: ["favourite": .text],
            status: 200),
        .removal(
            "/v1/favourites/{kind}/{name}", .market(.unsetFavourite), for: .buyer, gives: ["favourite": .text]),
    ]

    /// Payment providers may add members of their own.
    private static let notice =
        ([
            "payment": .name, "event": .words(["authorized", "captured", "failed", "refunded"]),
            "amount?": .money(1...100_000_000), "refund?": .name, "reason?": .line,
        ] as Shape).open

    private static let methods = APISchema.words(PaymentMethod.allCases.map(\.rawValue))
    private static let states = APISchema.words(["placed", "collected", "cancelled"])
    private static let kinds = APISchema.words(["farm", "product"])

    private static let line: Shape = [
        "offer?": .name, "product": .name, "lot?": .name, "farm?": .name, "quantity": .integer, "boxes": .integer,
        "unitPrice": money, "amount": money,
    ]

    private static let packed: Shape = [
        "product": .name, "title?": .text, "unit?": .text, "lot?": .name, "quantity": .integer, "boxes": .integer,
    ]

    private static let cart: Shape = ["lines": .list(.object(line)), "total?": money, "until?": .time]

    private static let order: Shape = [
        "order": .name, "state": states, "placed": .time, "lines": .list(.object(line)), "total": money,
        "pickup?": .name, "payment": methods, "paid": money, "refunded": money, "owed": money, "payBefore?": .time,
        "reason?": .text,
        "payments": .list(
            .object([
                "payment": .name, "state": .text, "method": methods, "amount": money, "page?": .text,
                "refunded": money,
            ])),
    ]

    private static let sold: Shape = [
        "order": .name, "state": states, "placed": .time, "lines": .list(.object(line)), "total": money,
        "pickup?": .name, "payment": methods, "paid": money, "refunded": money, "owed": money, "payBefore?": .time,
        "reason?": .text,
        "payments": .list(.anything), "buyer?": .text, "name?": .text, "contact?": .anything,
    ]
}
