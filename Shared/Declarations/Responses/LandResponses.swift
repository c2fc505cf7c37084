extension RecordType {
    static let landFarm = RecordType("LandFarm", "A farm of this server.") {
        Field("farm", .farmID, "The farm.")
        Field("title", .text, "Its name.")
        Field("zone", .text, "Its time zone: `Europe/Vienna`.")
        Field("country", .text.optional, "Its country: `AT`.")
    }

    static let plotResponse = RecordType("PlotResponse", "A plot.") {
        Field("plot", .plotID, "The plot.")
        Field("place", .fields(of: .placeResponse), "What plots and stores have.")
    }

    static let storeResponse = RecordType("StoreResponse", "A store.") {
        Field("store", .storeID, "The store.")
        Field("place", .fields(of: .placeResponse), "What plots and stores have.")
    }

    static let placeResponse = RecordType("PlaceResponse", "A plot or store with its latest readings.") {
        Field("farm", .farmID, "The farm that has it.")
        Field("title", .text, "Its name.")
        Field("crop", .text.optional, "What grows there.")
        Field("areaSquareMetres", .number.optional, "Its area.")
        Field("cold", .boolean, "Whether it is a cold store.")
        Field(
            "waiting", .boolean.optional,
            "True if events of its sensors wait for an operator; its values may be outdated then.")
        Field("latest", .json, "By quantity, the newest reading: `value`, `unit` and `at`.")
    }

    static let activityResponse = RecordType("ActivityResponse", "Work on a plot.") {
        Field("activity", .activityID, "The activity.")
        Field("kind", .enumeration(.activityKind), "The kind of work.")
        Field("happened", .instant, "When it was done.")
        Field("recorded", .instant, "When it was recorded.")
        Field("details", .record(.activityDetails), "The substance, its amount and the waiting time.")
        Field("corrections", .list(of: .record(.activityCorrection)), "Its corrections, the valid one last.")
    }

    static let activityCorrection = RecordType("ActivityCorrection", "A correction of an activity.") {
        Field("kind", .enumeration(.activityKind), "The corrected kind of work.")
        Field("happened", .instant, "When it was done.")
        Field("recorded", .instant, "When the correction was recorded.")
        Field("details", .record(.activityDetails), "The corrected substance, amount and waiting time.")
        Field("reason", .text.optional, "Why the version before was wrong.")
    }

    static let photographResponse = RecordType("PhotographResponse", "A photograph of a plot or store.") {
        Field("photograph", .text, "The photograph.")
        Field("taken", .instant, "When it was taken.")
        Field("picture", .text, "SHA-256 of the picture, in hex.")
        Field("preview", .text, "SHA-256 of a smaller copy, in hex.")
        Field("thumbnail", .text, "SHA-256 of the smallest copy, in hex.")
        Field("width", .integer, "Its width in pixels.")
        Field("height", .integer, "Its height in pixels.")
        Field("camera", .text.optional, "The camera that sent it.")
        Field("isShown", .boolean, "Whether stories of lots show it.")
    }

    static let goodsResponse = RecordType("GoodsResponse", "Kinds of goods.") {
        Field("items", .list(of: .record(.kindOfGoods)), "The kinds that this server has limits for.")
        Field("recommended", .list(of: .record(.recommendedGoods)), "The other kinds in handbooks.")
    }

    static let kindOfGoods = RecordType("KindOfGoods", "A kind of goods with its limits for storage.") {
        Field("setting", .fields(of: Family.trace.event("goods-limits-set")), "What was set.")
    }

    static let recommendedGoods = RecordType(
        "RecommendedGoods", "A kind of goods for which a handbook recommends storage conditions."
    ) {
        Field("goods", .text, "The kind of goods, a short name.")
        Field("title", .text, "The name that people read.")
        Field("limits", .list(of: .record(.goodsLimit)), "The limits that are proposed.")
        Field("source", .text, "The handbook.")
        Field("temperature", .record(.rangeResponse), "The recommended temperature in °C.")
        Field("humidity", .record(.rangeResponse), "The recommended relative humidity in per cent.")
    }

    static let rangeResponse = RecordType("RangeResponse", "A range of values, both ends included.") {
        Field("from", .number, "The lowest.")
        Field("to", .number, "The highest.")
    }
}
