// Inventories, maps and stocktakes, and the photographs of places.
extension CommandType {
    static let inventories = [
        CommandType(
            "set-inventory",
            "Creates an inventory, or changes its name, place and plan: a picture on which items have a spot. "
                + "With `boxes` it consists of the boxes of the lots that are stored at its place."
        ) {
            Member("inventory", .name("InventoryID"), "The name of the inventory, which stays.")
            Member("title", .line, "What people call it.")
            Member("place", .place.optional, "Where its items are.")
            Member("plan", .digest.optional, "The SHA-256 of the plan, a picture that was stored before.")
            Member("boxes", .flag, "Whether it consists of boxes.")
        },
        CommandType(
            "set-farm-map",
            "Sets the map of a farm: a picture, and where its plots and stores are on it, at most 500."
        ) {
            Member("farm", .name("FarmID"), "The farm.")
            Member("plan", .digest, "The SHA-256 of the picture, which was stored before.")
            Member("pins", .list(.record(.mapPin), 0...500), "The places on the map, each once.")
        },
        CommandType(
            "set-item",
            "Adds an item to an inventory, or changes it; what is left out is empty from then on. A beacon and a code "
                + "belong to one item."
        ) {
            Member("item", .name("ItemID"), "The name of the item, which stays.")
            Member("inventory", .name("InventoryID"), "The inventory.")
            Member("title", .line, "What people call it.")
            Member("place", .place.optional, "Where it is; by default at the inventory's place.")
            Member("beacon", .line.optional, "The beacon on it: `ibeacon:UUID:major:minor`, or another's address.")
            Member("code", .line.optional, "The code on it, as a scanner reads it.")
            Member("value", .money(0...100_000_000).optional, "What it is worth.")
            Member("picture", .digest.optional, "The SHA-256 of a picture that was stored before.")
            Member("thumbnail", .digest.optional, "The SHA-256 of the picture's small copy.")
            Member("spot", .record(.planSpot).optional, "Where it is on the plan of its inventory.")
        },
        CommandType("remove-item", "Removes an item from its inventory: it was sold, broken or given away.") {
            Member("item", .name("ItemID"), "The item.")
            Member("reason", .lines(500), "What became of it.")
        },
    ]

    static let stocktakes = [
        CommandType(
            "start-stocktake",
            "Starts a stocktake. An inventory has one open stocktake at a time, shared by all who count."
        ) {
            Member("stocktake", .name("StocktakeID"), "The name of the stocktake, which stays.")
            Member("inventory", .name("InventoryID"), "The inventory.")
            Member("title", .line, "What people call it.")
        },
        CommandType(
            "count-items",
            "Adds what was seen to the set of a stocktake. A sighting that is sent again changes nothing, and one that "
                + "arrives after the end changes no report."
        ) {
            Member.stocktake
            Member("sightings", .list(.record(.sighting), 1...500), "What was seen.")
            Member.person
        },
        CommandType(
            "resolve-difference",
            "Decides about a difference: a missing or doubled item is `present` or `missing`, an unexpected thing "
                + "`ignored`."
        ) {
            Member.stocktake
            Member("thing", .line, "The item or the unexpected thing, as in a sighting.")
            Member("as", swift: "resolution", .oneOf(.differenceResolution), "How it is to be understood.")
            Member("reason", .lines(500).optional, "Why.")
        },
        CommandType(
            "finish-stocktake",
            "Finishes a stocktake: its report is final. Refused while differences are open, unless `accept` is true."
        ) {
            Member.stocktake
            Member("accept", .flag, "Whether open differences are accepted.")
        },
    ]

    static let photographs = [
        CommandType("record-photograph", "Records a photograph of a place whose files are stored.") {
            Member("place", .place, "The plot or store.")
            Member("picture", .digest, "The SHA-256 of the picture.")
            Member("preview", .digest, "The SHA-256 of the copy for pages.")
            Member("thumbnail", .digest, "The SHA-256 of the copy for lists.")
            Member("width", .whole(1...100_000), "The picture's width in pixels.")
            Member("height", .whole(1...100_000), "The picture's height in pixels.")
            Member("at", .instant.optional, "When it was taken; by default now.")
            Member("camera", .line.optional, "The camera, by its name.")
        },
        CommandType(
            "show-photograph",
            "Has the stories of the lots that were at its place then show a photograph, or no longer."
        ) {
            Member("photograph", .name("String"), "The photograph.")
            Member("isShown", .requiredFlag, "Whether stories show it.")
        },
        CommandType("remove-photograph", "Removes a photograph from all lists and stories, and deletes its files.") {
            Member("photograph", .name("String"), "The photograph.")
            Member("reason", .line.optional, "Why.")
        },
    ]
}

extension Member {
    fileprivate static let stocktake = Member("stocktake", .name("StocktakeID"), "The stocktake.")
}

extension BodyRecord {
    fileprivate static let planSpot = BodyRecord("PlanSpot", isOfEvents: true, "A point on a plan or a map.") {
        Member("x", .whole(0...1000), "Thousandths of the width from the left edge.")
        Member("y", .whole(0...1000), "Thousandths of the height from the upper edge.")
    }

    fileprivate static let mapPin = BodyRecord("MapPin", isOfEvents: true, "A plot or store on a map.") {
        Member("place", .place, "The plot or store.")
        Member("spot", .record(.planSpot), "Where it is on the map.")
    }

    fileprivate static let sighting = BodyRecord(
        "Sighting", isOfEvents: true, isCheckedByRules: true, "A thing that was seen."
    ) {
        Member("thing", .line, "What was seen: `item/<id>`, `beacon/<beacon>` or `code/<code>`.")
        Member("at", .instant, "When, by the device's clock.")
        Member("how", .oneOf(.sightingMethod), "How it was identified.")
        Member("place", .place.optional, "Where the person counted.")
        Member("device", .line.optional, "The device that counted.")
    }
}
