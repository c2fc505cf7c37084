extension CommandFamily {
    static let ledger = CommandFamily(
        "LedgerCommandName", of: "trace-ledger",
        "The names of trace-ledger's commands: what people record of land, lots and inventories.",
        CommandType.land + CommandType.lots + CommandType.goods + CommandType.inventories + CommandType.stocktakes
            + CommandType.photographs)
}

// Farms, plots, stores and activities.
extension CommandType {
    static let land = [
        CommandType("found-farm", "Creates a farm.") {
            Member("farm", .name("FarmID"), "The name of the farm, which stays.")
            Member("title", .line, "What people call it.")
            Member("zone", .line(64), "Its time zone, as `Europe/Vienna`.")
            Member("country", .line(2).optional, "Its country: two letters of ISO 3166-1.")
        },
        CommandType("lay-out-plot", "Creates a plot of a farm.") {
            Member("farm", .name("FarmID"), "The farm.")
            Member("plot", .name("PlotID"), "The name of the plot, which stays.")
            Member("title", .line, "What people call it.")
            Member("crop", .line.optional, "What grows there.")
            Member("areaSquareMetres", .number(0...1e9).optional, "Its area.")
        },
        CommandType("open-store", "Creates a store of a farm.") {
            Member("farm", .name("FarmID"), "The farm.")
            Member("store", .name("StoreID"), "The name of the store, which stays.")
            Member("title", .line, "What people call it.")
            Member("cold", .flag, "Whether it is cooled.")
        },
        CommandType(
            "record-activity", "Records an activity on a plot. A `person` other than the caller is refused (401)."
        ) {
            Member("plot", .name("PlotID"), "The plot.")
            Member("kind", .oneOf(.activityKind), "The kind of work.")
            Member.happened
            Member("substance", .line.optional, "Seed, fertiliser or plant protection product.")
            Member("amount", .number(0...1e9).optional, "How much of it, in `unit`.")
            Member("unit", .line(20).optional, "The unit as the grower writes it, such as `kg` or `l`.")
            Member("waitingDays", .whole(0...1000).optional, "Days to wait before the plot may be harvested.")
            Member.person
        },
        CommandType(
            "correct-activity",
            "Corrects an activity; the original record stays. What is left out stays as it was, and null removes it."
        ) {
            Member("activity", .name("ActivityID"), "The activity.")
            Member("kind", .oneOf(.activityKind).optional, "The kind of work.")
            Member("happened", .instant.optional, "When it was done.")
            Member("substance", .change(of: .line), "Seed, fertiliser or plant protection product.")
            Member("amount", .change(of: .number(0...1e9)), "How much of it, in `unit`.")
            Member("unit", .change(of: .line(20)), "The unit as the grower writes it.")
            Member(
                "waitingDays", .change(of: .whole(0...1000)), "Days to wait before the plot may be harvested.")
            Member("reason", .lines(500), "Why it is corrected.")
        },
    ]
}

extension Member {
    static let happened = Member("happened", .instant.optional, "When it was done, not in the future; by default now.")
    static let person = Member(
        "person", .line.optional, "The person who did it; the gateway compares it with the caller.")
}
