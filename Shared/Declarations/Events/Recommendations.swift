extension Family {
    public static let recommendations = Family(
        "recommendations", "The computation of product recommendations.", enums: [.picksModel]
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
        EventType("picks-chosen", "The products to suggest to a person for a calendar day were chosen.") {
            Field("person", .personID, "The person; their data is in a vault.")
            Field("day", .text, "The calendar day of the farm, such as `2026-05-03`.")
            Field("products", .list(of: .productID), "The products, in the order in which they are shown.")
            Field(
                "model", .enumeration(.picksModel).optional,
                "The model that ranked the candidates; omitted by versions that had one model.")
            Field(
                "chances", .listUnlessEmpty(.integer),
                "The probability with which each product was drawn from the candidates; thousandths.")
            Field("position", .position, "The position of the hub up to which events were consumed.")
        }
        EventType("products-viewed", "A person looked at products, and has agreed that this is noted.") {
            Field("person", .personID, "The person; their data is in a vault.")
            Field("products", .list(of: .productID), "The products, the latest last.")
        }
        EventType("views-forgotten", "A person deleted what they have looked at.") {
            Field("person", .personID, "The person; their data is in a vault.")
        }
    }
}

extension EnumType {
    static let picksModel = EnumType(
        "PicksModel", "The model that ranks the candidates of a person's picks.",
        [
            Case("learnt", "The model that is learnt from all orders."),
            Case("habit", "The person's most frequent purchases, and what sells most; for comparison."),
        ])
}
