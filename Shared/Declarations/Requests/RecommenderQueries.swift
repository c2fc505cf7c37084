extension QueryFamily {
    public static let recommender = QueryFamily(
        "RecommenderQueryName", of: "recommender", "The names of the recommender's queries.",
        [
            QueryType(
                "shelves",
                """
                Suggestions for the person who is signed in, each with its reason; a visitor gets what is popular and what is
                new. Administrators may request any person's.
                """, gives: .record(.shelvesResponse)
            ) {
                Member(
                    "person", .line.optional,
                    "The shopper: of an account, or as another system names them; omitted: the caller.")
                Member(
                    "with", .line(4_000).optional, "The products in the cart, separated by commas; at most 100.")
                Member("limit", .whole(1...50).optional, "The most products of a shelf; omitted: 10.")
            },
            QueryType(
                "picks",
                """
                The products picked for the signed-in person, for this calendar day of the farm: the first request of a
                day chooses them, and they stay the same until the farm's midnight (`until`). The day is that of the time
                zone of the first farm by name.
                """, gives: .record(.picksResponse)
            ) {
                Member("person", .person, "The shopper.")
                Member("day", .line, "The calendar day of the farm: `2026-05-03`.")
                Member("until", .instant, "The moment at which the day ends.")
            },
            QueryType(
                "picks-outcomes",
                """
                What came of the picks of the last sixty days. The candidates of each person's picks are ranked by one of
                two models, by a hash of the person: `learnt`, or `habit` for one of four.
                """, gives: .record(.picksOutcomesResponse)),
            QueryType(
                "why",
                """
                Why a product is suggested to the signed-in person: the reason, and their newest orders behind it: those
                of the product `from`, which is the product itself or the one that predicts it most.
                """, gives: .record(.whyResponse)
            ) {
                Member("person", .person, "The shopper.")
                Member("product", .name("ProductID"), "The product.")
            },
            QueryType(
                "gorse", "A call of the interface of Gorse, which may also record feedback.", gives: .foreign),
            QueryType(
                "export", "All data that the recommender stores about the caller; for the gateway.",
                gives: .record(.recommenderExport)),
        ])
}
