extension RecordType {
    static let inventoryResponse = RecordType("InventoryResponse", "A list of items that are counted together.") {
        Field("inventory", .inventoryID, "The inventory.")
        Field("title", .text, "Its name.")
        Field("place", .place.optional, "The plot or store where its items are.")
        Field("items", .integer, "The number of its items.")
        Field("stocktake", .stocktakeID.optional, "The stocktake that is not finished.")
        Field("plan", .text.optional, "SHA-256 of the picture on which items have a spot, in hex.")
        Field("boxes", .boolean.optional, "True if it consists of the boxes of the lots at its place.")
    }

    static let farmMapResponse = RecordType("FarmMapResponse", "The map of a farm.") {
        Field("farm", .farmID, "The farm.")
        Field("plan", .text, "SHA-256 of the picture, in hex.")
        Field("pins", .list(of: .record(.mapPin)), "Where its plots and stores are.")
    }

    static let itemResponse = RecordType("ItemResponse", "An item of an inventory.") {
        Field("item", .text, "The item; of a box, `LOT/SERIAL`.")
        Field("title", .text, "Its name.")
        Field("place", .place.optional, "The plot or store where it is.")
        Field("beacon", .text.optional, "Its beacon, such as `ibeacon:UUID:MAJOR:MINOR`.")
        Field("code", .text.optional, "The text of the code on it.")
        Field("value", .money.optional, "What it is worth.")
        Field("picture", .text.optional, "SHA-256 of its picture, in hex.")
        Field("thumbnail", .text.optional, "SHA-256 of the picture's small copy, in hex.")
        Field("spot", .record(.planSpot).optional, "Where it is on the plan of its inventory.")
        Field("changed", .instant, "When it was added or last changed.")
    }

    static let beaconNumbersResponse = RecordType(
        "BeaconNumbersResponse", "The numbers that are proposed for the beacon (iBeacon) of an item."
    ) {
        Field("item", .itemID, "The item.")
        Field("title", .text, "Its name.")
        Field("uuid", .text, "The UUID of the farm's beacons.")
        Field("major", .integer, "The major number of the inventory.")
        Field("minor", .integer, "A minor number that is free.")
        Field("beacon", .text, "The beacon with these numbers, as an item names it.")
    }

    static let findResponse = RecordType("FindResponse", "What a stocktake has found of an item.") {
        Field("stocktake", .stocktakeID, "The stocktake.")
        Field("title", .text, "Its name.")
        Field("started", .instant, "When it began.")
        Field("finished", .instant.optional, "When it ended.")
        Field("line", .text, "The item's line of the report, as JSON.")
    }

    static let stocktakeResponse = RecordType("StocktakeResponse", "A stocktake.") {
        Field("stocktake", .stocktakeID, "The stocktake.")
        Field("inventory", .inventoryID, "The inventory that is counted.")
        Field("title", .text, "Its name.")
        Field("started", .instant, "When it began.")
        Field("startedBy", .text, "Who began it: `person/<uuid>`.")
        Field("sightings", .integer, "The number of different sightings, late ones included.")
        Field("finished", .instant.optional, "When it ended.")
        Field("finishedBy", .text.optional, "Who ended it: `person/<uuid>`.")
        Field("found", .integer.optional, "The number of items that were found.")
        Field("missing", .integer.optional, "The number of items that were not.")
        Field("unexpected", .integer.optional, "The number of things that are not in the inventory.")
        Field("digest", .text.optional, "The SHA-256 of the report's lines, in hex, once it ended.")
    }

    static let stocktakeCounts = RecordType("StocktakeCounts", "A stocktake with its counts.") {
        Field("stocktake", .fields(of: .stocktakeResponse), "The stocktake.")
        Field("late", .integer, "The number of sightings that arrived after its end.")
        Field("zone", .text.optional, "The time zone of the inventory's farm: `Europe/Vienna`.")
        Field("places", .list(of: .record(.placeTitle)), "The names of all plots and stores.")
        Field("doubled", .integer.optional, "The number of items that were found at two places, before its end.")
        Field("unresolved", .integer.optional, "The number of differences without an explanation, before its end.")
    }

    static let placeTitle = RecordType("PlaceTitle", "The name of a plot or store.") {
        Field("place", .text, "The plot or store.")
        Field("title", .text, "Its name.")
    }

    static let stocktakeLinesResponse = RecordType("StocktakeLinesResponse", "Lines of a stocktake's report.") {
        Field("items", .list(of: .text), "The lines, each of them JSON.")
        Field("next", .integer.optional, "The `after` of the next lines; omitted with the last ones.")
    }
}
