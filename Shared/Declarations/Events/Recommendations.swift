extension Family {
    public static let recommendations = Family(
        "recommendations", "The computation of product recommendations.", records: [.feedback], enums: [.picksModel]
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
        EventType("feedback-received", "Another system reported what people did with products (the API of Gorse).") {
            Field("feedback", .list(of: .record(.feedback)), "What was reported, in the order of the request.")
        }
        EventType("feedback-deleted", "Feedback of a person that another system had reported was deleted.") {
            Field("person", .personID, "The person, as the other system names them.")
            Field("product", .productID.optional, "The product; omitted for all of the person's feedback.")
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

extension RecordType {
    static let feedback = RecordType("Feedback", "What a person did with a product, as another system reported it.") {
        Field("kind", .text, "The other system's word, such as `purchase`, `star` or `read`.")
        Field("person", .personID, "The person, as the other system names them: a pseudonym.")
        Field("product", .productID, "The product.")
        Field("at", .instant, "When it happened.")
        Field("isView", .boolean, "Whether the person only looked at it; otherwise it counts as an order.")
    }
}
