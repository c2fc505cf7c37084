extension Family {
    /// TODO
    public static let recommendations = Family(
        "recommendations", "TODO",
        records: [],
        enums: []
    ) {
        EventType(
            "model-solved",
            """
            A recommendation model was computed from all orders up to a position of the hub.

            The computation is deterministic: repeating it from the log gives a model of the same digest.
            """
        ) {
            Field("position", .position, "The position of the hub up to which orders were consumed.")
            Field("products", .integer, "TODO products")
            Field("shoppers", .integer, "TODO shoppers")
            Field("baskets", .integer, "TODO baskets")
            Field("digest", .text, "SHA-256 over the products' names and the bits of all weights, in hex.")
        }
    }
}
