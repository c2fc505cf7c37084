extension QueryFamily {
    public static let lots = QueryFamily(
        "LotQueryName", of: "trace-ledger", "The names of trace-ledger's queries about lots.",
        [
            QueryType(
                "lots",
                """
                The lots, the newest harvest first, those handed over last; a box's serial number as `q` finds its lot.
                """, gives: .page(of: .lotResponse)
            ) {
                Member("q", .line.optional, "Words: each is part of the lot's number, product or item number.")
                Member("plot", .name("PlotID").optional, "Only the lots of this plot.")
                Member("from", .instant.optional, "Only the lots that were harvested then or later.")
                Member("to", .instant.optional, "Only the lots that were harvested before.")
                Member("limit", .whole(1...200).optional, "The most lots of a page; omitted: 200.")
                Member.after
            },
            QueryType("lot", "One lot with its boxes and where it has been.", gives: .record(.lotHistoryResponse)) {
                Member("lot", .name("LotID"), "The lot.")
            },
            QueryType("holds", "The lots on hold until a person releases them.", gives: .page(of: .holdResponse)) {
                Member.after
            },
        ])
}
