extension RecordType {
    static let suggestion = RecordType("SuggestionResponse", "A suggested product with the reason.") {
        Field("product", .productID, "The product.")
        Field("title", .text, "Its name.")
        Field("unit", .text.optional, "The unit in which it is sold.")
        Field("because", .enumeration(.suggestionReason), "The reason.")
        Field(
            "reason", .text,
            "The reason as a sentence in English. The other members have the values in it, for other languages.")
        Field("days", .integer.optional, "The days of `rhythm`, `ending` and `fresh`.")
        Field("times", .integer.optional, "How often: of `bought` and `season`.")
        Field("inOrders", .integer.optional, "The number of orders of `popular` and `place`.")
        Field("units", .integer.optional, "The units of `few`.")
        Field("of", .text.optional, "The name of the other product of `follows` and `together`.")
        Field("last", .instant.optional, "The person's last order of it.")
    }

    static let shelvesResponse = RecordType("ShelvesResponse", "Shelves of suggestions.") {
        Field("person", .personID.optional, "The shopper; omitted for a visitor who is not signed in.")
        Field("hubPosition", .position, "The position of the hub up to which events were read.")
        Field("model", .record(.modelSummary).optional, "The model with which they were made.")
        Field("shelves", .list(of: .record(.shelfResponse)), "The shelves that are not empty.")
    }

    static let modelSummary = RecordType("ModelSummary", "The model with which suggestions were made.") {
        Field("hubPosition", .position, "The position of the hub up to which it reflects events.")
        Field("products", .integer, "The number of its products.")
        Field("digest", .text, "Its digest, in hex.")
    }

    static let shelfResponse = RecordType("ShelfResponse", "A shelf of suggestions, best first.") {
        Field("shelf", .enumeration(.shelfKind), "The kind of shelf.")
        Field("title", .text, "Its title in English.")
        Field("items", .list(of: .record(.suggestion)), "The suggestions.")
    }

    static let picksResponse = RecordType("PicksResponse", "The products picked for a person's day.") {
        Field("day", .text, "The calendar day of the farm: `2026-05-03`.")
        Field("until", .instant, "When the day ends.")
        Field("items", .list(of: .record(.suggestion)), "The products, each with the reason that is true now.")
    }

    static let whyResponse = RecordType("WhyResponse", "Why a product is suggested to a person.") {
        Field("suggestion", .fields(of: .suggestion), "The suggestion.")
        Field("from", .productID.optional, "The product in the person's orders that leads to it.")
        Field("orders", .list(of: .record(.orderBehind)), "Their newest orders of that product.")
    }

    static let orderBehind = RecordType("OrderBehind", "An order behind a suggestion.") {
        Field("order", .text, "The order.")
        Field("placed", .instant, "When it was placed.")
    }

    static let picksOutcomesResponse = RecordType("PicksOutcomesResponse", "What came of picks, by model.") {
        Field("models", .list(of: .record(.modelOutcomes)), "The outcome of each model.")
        Field("difference", .record(.proportion).optional, "The share of `learnt` less that of `habit`.")
    }

    static let modelOutcomes = RecordType("ModelOutcomes", "What came of one model's picks.") {
        Field("model", .enumeration(.picksModel), "The model.")
        Field("people", .integer, "The people who saw a day's picks, counted each day.")
        Field("ordering", .integer, "Those of them who ordered one of the picks within a week.")
        Field("picks", .integer, "The picks.")
        Field("ordered", .integer, "The picks that were ordered within a week.")
        Field("share", .record(.proportion).optional, "The share of `people` who ordered.")
        Field(
            "orderedOfCandidates", .number.optional,
            """
            The estimated share of the candidates that would be ordered if all were shown, from the probability with which
            each was drawn.
            """)
        Field("weeks", .list(of: .record(.weekOutcomes)), "The same by week.")
    }

    static let weekOutcomes = RecordType("WeekOutcomes", "What came of one model's picks of a week.") {
        Field("from", .text, "The Monday: `2026-05-04`.")
        Field("people", .integer, "The people who saw a day's picks, counted each day.")
        Field("ordering", .integer, "Those of them who ordered one of the picks within a week.")
        Field("share", .record(.proportion).optional, "The share of `people` who ordered.")
    }

    static let proportion = RecordType("Proportion", isHandWritten: true, "A share with an interval of 95 %.") {
        Field("share", .number, "From 0 to 1.")
        Field("low", .number, "The lower end.")
        Field("high", .number, "The upper end.")
    }

    static let recommenderExport = RecordType("RecommenderExport", "All that the recommender stores about a person.") {
        Field("viewed", .list(of: .record(.exportedView)), "The products that they looked at.")
        Field("picks", .list(of: .record(.exportedPicks)), "The products that were picked for them.")
        Field("feedback", .list(of: .record(.exportedFeedback)), "What other systems reported.")
    }

    static let exportedView = RecordType("ExportedView", "A product that a person looked at.") {
        Field("product", .productID, "The product.")
        Field("at", .instant, "When.")
    }

    static let exportedPicks = RecordType("ExportedPicks", "The products that were picked for a person's day.") {
        Field("day", .text, "The calendar day.")
        Field("model", .enumeration(.picksModel), "The model that ranked the candidates.")
        Field("products", .list(of: .productID), "The products.")
    }

    static let exportedFeedback = RecordType("ExportedFeedback", "What another system reported about a person.") {
        Field("product", .productID, "The product.")
        Field("kind", .text, "The kind of feedback, as that system names it.")
        Field("at", .instant, "When.")
    }
}

extension EnumType {
    static let suggestionReason = EnumType(
        "SuggestionReason", "The reason for a suggestion.",
        [
            Case("rhythm", "The person buys it regularly, every `days` days."),
            Case("bought", "The person has bought it `times` times."),
            Case("follows", "People who buy `of` often buy it, and the person did."),
            Case("together", "It is often in one order with `of`."),
            Case("popular", "It is in `inOrders` recent orders."),
            Case("new", "It is new in the shop."),
            Case("favourite", "The person marked it as a favourite."),
            Case("favourite-farm", "The person marked its farm as a favourite."),
            Case("ending", "Its offer ends within `days` days."),
            Case("few", "Only `units` are left."),
            Case("fresh", "It was harvested within the last `days` days."),
            Case("season", "It is ordered `times` times as often at this time of the year, or only now."),
            Case("place", "It is in `inOrders` recent orders at the person's pickup place."),
            Case("viewed", "The person looked at it."),
        ])

    static let shelfKind = EnumType(
        "ShelfKind", "A kind of shelf.",
        [
            Case("next", "Products that are likely in the next basket, whether bought before or not."),
            Case("again", "Products that the person bought."),
            Case("together", "Products that go with those in the cart."),
            Case("popular", "Products that many people order."),
            Case("discover", "Products that the person has not bought."),
            Case(
                "now",
                "Products that should be bought soon: their offer or their season ends, few are left, or they are fresh."
            ),
            Case("place", "Products that are popular at the pickup place of the person's last order."),
            Case("viewed", "Products that the person looked at and did not order since."),
        ])
}
