import Events
import Wire

/// The routes of carts and orders, for buyers and the staff.
extension Routes {
    static let sales: [Route] = [
        .open("/v1/quote", .market(.quote)),
        .ownQuery("/v1/cart", .market(.cart)),
        .command(
            .put, "/v1/cart", .market(.holdCart), for: .buyer, gives: .cartResponse, status: 200),
        .removal(
            "/v1/cart", .market(.emptyCart), for: .buyer, gives: [:]),
        .command(
            .post, "/v1/orders", .market(.placeOrder), for: .buyer, gives: .orderRecord),
        .ownQuery("/v1/orders", .market(.orders)),
        .ownQuery("/v1/orders/{order}", .market(.order)),
        .command(
            .put, "/v1/orders/{order}", .market(.changeOrder), for: .buyer, gives: .orderRecord, status: 200),
        .command(
            .post, "/v1/orders/{order}/cancellations", .market(.cancelOrder), for: .buyer, gives: .orderRecord,
            status: 200),
        .command(
            .post, "/v1/orders/{order}/payments", .market(.payAgain), for: .buyer, gives: .orderRecord),
        .query("/v1/sales", .market(.soldOrders)),
        .query("/v1/packing", .market(.packing)),
        .query("/v1/sales/{order}", .market(.soldOrder)),
        .command(
            .post, "/v1/sales/{order}/cancellations", .market(.callOffOrder), for: .grower, gives: .orderRecord,
            status: 200),
        .command(
            .post, "/v1/sales/{order}/collections", .market(.collectOrder), for: .grower, gives: .orderRecord),
        .command(
            .post, "/v1/sales/{order}/refunds", .market(.refundOrder), for: .grower, gives: .orderRecord),
        .command(
            .post, "/v1/orders/imports", .market(.importOrders), for: .administrator, gives: ["orders": .integer]),
        .own(
            .post, "/v1/payments/notices", .hearNotice, for: .everyone,
            "Receives notices of a payment provider, signed as in Standard Webhooks 1.0; repeated ones are processed once.",
            headers: [
                "webhook-id": .name, "webhook-timestamp": .form(.seconds), "webhook-signature": .form(.signatures),
            ],
            takes: .json(notice), gives: .json(200, .object(["payment": .name, "news": .flag]))),
        .ownQuery("/v1/favourites", .market(.favourites)),
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
}
