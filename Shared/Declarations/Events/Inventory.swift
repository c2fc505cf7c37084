extension Family {
    public static let inventory = Family(
        "inventory", "Items that a farm owns, and stocktakes of them.",
        records: [.sighting, .planSpot, .mapPin], enums: [.sightingMethod, .differenceResolution]
    ) {
        EventType("inventory-set", "An inventory was created, or its name or place changed.") {
            Field("inventory", .inventoryID, "The inventory.")
            Field("title", .text, "The name that people read.")
            Field("place", .place.optional, "Where its items usually are; omitted if that is not one place.")
            Field(
                "plan", .text.optional,
                "SHA-256 of a picture of the place, a plan or a photograph, in hex: items have a spot on it.")
            Field(
                "boxes", .boolean.optional,
                "Whether it consists of the boxes of the lots that are stored at its place; omitted: of items.")
        }
        EventType("item-set", "An item was added to an inventory, or changed; what is omitted is empty from then on.") {
            Field("item", .itemID, "The item.")
            Field("inventory", .inventoryID, "The inventory that it belongs to.")
            Field("title", .text, "The name that people read.")
            Field("place", .place.optional, "Where it usually is; omitted if it is where the inventory is.")
            Field("beacon", .text.optional, "The beacon that is attached to it, as in `beacon-heard`.")
            Field("code", .text.optional, "The code on it: what a scanner reads.")
            Field("value", .money.optional, "What it is worth.")
            Field("picture", .text.optional, "SHA-256 of the picture's file, in hex.")
            Field(
                "thumbnail", .text.optional,
                "SHA-256 of a small copy of the picture, 320 pixels long; omitted if there is none.")
            Field("spot", .record(.planSpot).optional, "Where it is on the plan of its inventory.")
        }
        EventType("item-removed", "An item left its inventory: sold, broken, given away.") {
            Field("item", .itemID, "The item.")
            Field("reason", .text, "Why, in the person's words.")
        }
        EventType("farm-map-set", "The map of a farm was set: what was on it before is replaced.") {
            Field("farm", .farmID, "The farm.")
            Field("plan", .text, "SHA-256 of the map's picture, in hex.")
            Field("pins", .list(of: .record(.mapPin)), "Where its plots and stores are; at most 500.")
        }
        EventType("stocktake-started", "A stocktake of an inventory was started.") {
            Field("stocktake", .stocktakeID, "The stocktake.")
            Field("inventory", .inventoryID, "The inventory.")
            Field("title", .text, "The name that people read.")
        }
        EventType(
            "items-counted",
            """
            A person, the event's actor, saw things during a stocktake.

            The count is a set of sightings: one that is recorded twice, or in another order, changes nothing. So people
            and devices count at once and without a network. Sightings that arrive after the end are recorded, and
            change no report.
            """
        ) {
            Field("stocktake", .stocktakeID, "The stocktake.")
            Field("sightings", .list(of: .record(.sighting)), "What was seen; at most 500.")
        }
        EventType("difference-resolved", "A person decided how a difference of a stocktake is to be understood.") {
            Field("stocktake", .stocktakeID, "The stocktake.")
            Field("thing", .text, "The item or the unexpected thing, as in `Sighting`.")
            Field("resolution", .enumeration(.differenceResolution), "The decision; the last one counts.")
            Field("reason", .text.optional, "Why, in the person's words.")
        }
        EventType("stocktake-finished", "A stocktake was finished: its report is final.") {
            Field("stocktake", .stocktakeID, "The stocktake.")
            Field("found", .integer, "The number of items that were seen, or are present by a person's decision.")
            Field("missing", .integer, "The number of items that are missing.")
            Field("unexpected", .integer, "The number of things that are no items of the inventory.")
            Field("digest", .text, "SHA-256 over the lines of the report, each followed by a line feed, in hex.")
        }
    }
}

extension RecordType {
    static let sighting = RecordType("Sighting", "One thing that was seen during a stocktake.") {
        Field("thing", .text, "What was seen: `item/<id>`, `beacon/<beacon>` or `code/<code>`.")
        Field("at", .instant, "When, by the device's clock.")
        Field("how", .enumeration(.sightingMethod), "How it was identified.")
        Field("place", .place.optional, "Where the person counted; omitted if that was not said.")
        Field("device", .text.optional, "The device that counted; omitted if it has no name.")
    }
}

extension RecordType {
    static let planSpot = RecordType(
        "PlanSpot", "A point on the plan of an inventory or the map of a farm, which may be scaled."
    ) {
        Field("x", .integer, "Thousandths of the plan's width from its left edge, 0 to 1000.")
        Field("y", .integer, "Thousandths of the plan's height from its upper edge, 0 to 1000.")
    }

    static let mapPin = RecordType("MapPin", "A plot or store on the map of its farm.") {
        Field("place", .place, "The plot or store.")
        Field("spot", .record(.planSpot), "Where it is on the map.")
    }
}

extension EnumType {
    static let sightingMethod = EnumType(
        "SightingMethod", "How a thing was identified.",
        [
            Case("beacon", "Its beacon was received nearby."),
            Case("camera", "A camera read its code."),
            Case("typed", "A person typed its code."),
            Case("picked", "A person picked it in the list."),
        ])

    static let differenceResolution = EnumType(
        "DifferenceResolution", "How a difference of a stocktake is to be understood.",
        [
            Case("present", "The item is there, although it was not seen or was seen at several places."),
            Case("missing", "The item is missing."),
            Case("ignored", "The thing does not belong to the inventory."),
        ])
}
