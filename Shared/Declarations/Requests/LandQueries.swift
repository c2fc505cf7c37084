extension QueryFamily {
    public static let land = QueryFamily(
        "LandQueryName", of: "trace-ledger",
        "The names of trace-ledger's queries about farms, their places and what is stored there.",
        [
            QueryType("farms", "The farms of this server.", gives: .page(of: .landFarm)) { Member.after },
            QueryType("plots", "The plots, each with its latest readings.", gives: .page(of: .plotResponse)) {
                Member.after
            },
            QueryType("stores", "The stores, each with its latest readings.", gives: .page(of: .storeResponse)) {
                Member.after
            },
            QueryType(
                "activities", "The activities on a plot, the newest first, with their corrections.",
                gives: .page(of: .activityResponse)
            ) {
                Member("plot", .name("PlotID"), "The plot.")
                Member.after
            },
            QueryType(
                "photographs", "The photographs of a plot or store, the newest first.",
                gives: .page(of: .photographResponse)
            ) {
                Member("place", .place, "The plot or store.")
                Member.after
            },
            QueryType(
                "goods",
                "The kinds of goods with their limits for storage, and kinds that handbooks recommend limits for.",
                gives: .record(.goodsResponse)),
        ])
}
