extension QueryFamily {
    public static let inventory = QueryFamily(
        "InventoryQueryName", of: "trace-ledger",
        "The names of trace-ledger's queries about inventories, stocktakes and maps.",
        [
            QueryType(
                "inventories", "The inventories: lists of items that are counted together.",
                gives: .page(of: .inventoryResponse)
            ) { Member.after },
            QueryType(
                "farm-maps", "The maps of the farms: pictures with their plots and stores.",
                gives: .page(of: .farmMapResponse)
            ) { Member.after },
            QueryType("items", "The items of an inventory, by their names.", gives: .page(of: .itemResponse)) {
                Member("inventory", .name("InventoryID"), "The inventory.")
                Member.after
            },
            QueryType(
                "beacon-numbers",
                """
                The numbers that are proposed for beacons (iBeacon) of the items that have none: one UUID for the farm, one
                major number for the inventory, and a free minor number for each.
                """, gives: .page(of: .beaconNumbersResponse)
            ) {
                Member("inventory", .name("InventoryID"), "The inventory.")
                Member.after
            },
            QueryType(
                "finds", "What the stocktakes of its inventory have found of an item, the newest first.",
                gives: .page(of: .findResponse)
            ) {
                Member("item", .name("ItemID"), "The item.")
            },
            QueryType(
                "stocktakes", "The stocktakes, or those of one inventory.", gives: .page(of: .stocktakeResponse)
            ) {
                Member("inventory", .name("InventoryID").optional, "Only the stocktakes of this inventory.")
                Member.after
            },
            QueryType(
                "stocktake", "A stocktake with its counts: so far, or as it ended.", gives: .record(.stocktakeCounts)
            ) {
                Member("stocktake", .name("StocktakeID"), "The stocktake.")
            },
            QueryType(
                "stocktake-lines",
                """
                The lines of the report, each of them JSON: the items, then what was unexpected. After the end they stay,
                and `digest` is the SHA-256 over all lines, each followed by a line feed.
                """, gives: .record(.stocktakeLinesResponse)
            ) {
                Member("stocktake", .name("StocktakeID"), "The stocktake.")
                Member(
                    "after", .whole(0...1_000_000).optional, "The `next` of the page before; omitted: the first page.")
            },
        ])
}
