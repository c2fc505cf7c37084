extension Family {
    public static let recommendations = Family(
        "recommendations", "The computation of product recommendations."
    ) {
        EventType(
            "model-solved",
            """
            A recommendation model was computed from all orders up to a position of the hub.

            The computation is deterministic: repeating it from the log gives a model of the same digest.
            """
        ) {
            Field("position", .position, "The position of the hub up to which orders were consumed.")
            Field("products", .integer, "The number of products in the model.")
            Field("shoppers", .integer, "The number of buyers whose orders were used.")
            Field("baskets", .integer, "The number of orders that were used.")
            Field("digest", .text, "SHA-256 over the products' names and the bits of all weights, in hex.")
        }
    }
}
