extension Family {
    public static let trace = Family(
        "trace", "Farms, plots, lots and their labels.",
        records: [.activityDetails, .goodsLimit, .storedGoods, .goodsConflict],
        enums: [.activityKind, .lotStage]
    ) {
        EventType("farm-founded", "A farm was set up.") {
            Field("title", .text, "The farm's name.")
            Field("zone", .text, "The IANA time zone of the farm's days and cut-off times.")
            Field("country", .text.optional, "The country (ISO 3166-1, two letters).")
        }
        EventType("plot-laid-out", "A plot was created.") {
            Field("plot", .plotID, "The plot.")
            Field("title", .text, "The plot's name.")
            Field("crop", .text.optional, "What grows on it; omitted if that is unknown.")
            Field("areaSquareMetres", .number.optional, "The area in square metres; omitted if that is unknown.")
        }
        EventType("store-opened", "A store for lots was created.") {
            Field("store", .storeID, "The store.")
            Field("title", .text, "The store's name.")
            Field("cold", .boolean, "Whether the store is cooled.")
        }
        EventType("photograph-taken", "A photograph of a plot or store; the event's time is when it was taken.") {
            Field("photograph", .text, "The photograph.")
            Field("place", .place, "What it shows.")
            Field("picture", .text, "The SHA-256 of its bytes, without metadata, in hexadecimal.")
            Field("preview", .text, "The SHA-256 of a smaller copy, 1,024 pixels long.")
            Field("thumbnail", .text, "The SHA-256 of a small copy, 320 pixels long.")
            Field("width", .integer, "The width of the preview in pixels.")
            Field("height", .integer, "The height of the preview in pixels.")
            Field("camera", .text.optional, "The name of the camera; omitted for a photograph of a person.")
        }
        EventType(
            "photograph-chosen",
            "A photograph is shown in the stories of the lots that were at its place then, or no longer."
        ) {
            Field("photograph", .text, "The photograph.")
            Field("place", .place, "What it shows.")
            Field("isShown", .boolean, "Whether stories show it.")
        }
        EventType("photograph-removed", "A photograph is shown no more, and its files are deleted.") {
            Field("photograph", .text, "The photograph.")
            Field("place", .place, "What it shows.")
            Field("reason", .text.optional, "Why; omitted if no reason was given.")
        }
        EventType("activity-recorded", "A grower's activity on a plot; the event's time is when it was done.") {
            Field("activity", .activityID, "The activity.")
            Field("plot", .plotID, "The plot.")
            Field("kind", .enumeration(.activityKind), "The kind of work.")
            Field("details", .record(.activityDetails), "The substance, its amount and the waiting time.")
        }
        EventType(
            "activity-corrected",
            "A recorded activity was corrected, with the reason; the original event stays."
        ) {
            Field("activity", .activityID, "The activity.")
            Field("kind", .enumeration(.activityKind), "The corrected kind of work.")
            Field("happened", .instant, "The corrected time of the work.")
            Field("details", .record(.activityDetails), "The corrected substance, amount and waiting time.")
            Field("reason", .text, "Why it was corrected.")
        }
        EventType("harvested", "A lot was harvested from a plot.") {
            Field("lot", .lotID, "The lot.")
            Field("gtin", .gtin, "The product's GTIN; a restricted number is valid on the farm only.")
            Field("product", .text, "The product's name.")
            Field("plot", .plotID, "The plot on which it grew.")
            Field("grams", .integer, "The mass in grams.")
            Field("from", .instant, "The start of its growth on the plot: the last sowing, or the harvest itself.")
        }
        EventType("harvest-corrected", "The recorded weight of a lot was corrected; the original event stays.") {
            Field("lot", .lotID, "The lot.")
            Field("grams", .integer, "The whole harvested mass in grams, after the correction.")
            Field("reason", .text, "Why it was corrected.")
        }
        EventType("lot-split", "Part of a lot became a separate lot.") {
            Field("lot", .lotID, "The lot that was divided.")
            Field("into", .lotID, "The new lot.")
            Field("grams", .integer, "The mass of the new lot in grams.")
        }
        EventType("packed", "A lot was packed into boxes, each with an unguessable serial number.") {
            Field("lot", .lotID, "The lot.")
            Field("gramsEach", .integer, "The mass of the contents of one box in grams.")
            Field("serials", .list(of: .text), "The serial numbers: 13 upper-case letters and digits each.")
        }
        EventType("stored", "A lot was moved into a store.") {
            Field("lot", .lotID, "The lot.")
            Field("store", .storeID, "The store.")
        }
        EventType("handed-over", "A lot left the farm.") {
            Field("lot", .lotID, "The lot.")
            Field("to", .text, "The recipient: a trade partner, not a person.")
            Field("document", .text.optional, "The number of the delivery note.")
        }
        EventType("lot-recalled", "A lot was recalled: it must not be sold or eaten, and its buyers must be warned.") {
            Field("lot", .lotID, "The lot.")
            Field("includes", .list(of: .lotID), "The lots that were split off it, directly or indirectly.")
            Field("reason", .text, "The reason in words.")
        }
        EventType(
            "lot-held",
            """
            A lot was put on hold: it must not be labelled, sold or handed over until a person releases it.

            It was harvested before the waiting time of an activity on its plot was over.
            """
        ) {
            Field("lot", .lotID, "The lot.")
            Field(
                "includes", .list(of: .lotID),
                "The lots that were split off it, directly or indirectly; they are in the same state.")
            Field("activity", .activityID, "The activity whose waiting time was not over.")
            Field("until", .instant, "When the waiting time of the activity ends.")
            Field("reason", .text, "The reason in words.")
        }
        EventType("lot-released", "A person released a lot from its holds; that person is the actor of the event.") {
            Field("lot", .lotID, "The lot.")
            Field(
                "includes", .list(of: .lotID),
                "The lots that were split off it, directly or indirectly; they are in the same state.")
            Field("reason", .text, "The reason in words.")
        }
        EventType(
            "lot-hold-lifted",
            "A hold was lifted: after a correction, the waiting time of the activity was over at the harvest."
        ) {
            Field("lot", .lotID, "The lot.")
            Field(
                "includes", .list(of: .lotID),
                "The lots that were split off it, directly or indirectly; they are in the same state.")
            Field("activity", .activityID, "The activity that was the reason of the hold.")
            Field("reason", .text, "The reason in words.")
        }
        EventType("label-key-added", "A key (ECDSA P-256) was added, which signs labels from now on.") {
            Field("kid", .text, "The key id on labels: four letters or digits.")
            Field("publicKey", .text, "The uncompressed point in base64url.")
        }
        EventType("label-key-revoked", "A label key was revoked: labels signed with it are invalid.") {
            Field("kid", .text, "The key id on labels: four letters or digits.")
            Field("reason", .text, "The reason in words.")
        }
        EventType("labels-printed", "Labels of a lot were printed.") {
            Field("lot", .lotID, "The lot.")
            Field("kid", .text, "The id of the key that signed them.")
            Field("count", .integer, "The number of labels, one for each box.")
        }
        EventType(
            "passport-issued",
            "The story of a lot at one moment, shown with a proof to everyone who scans its label."
        ) {
            Field("lot", .lotID, "The lot.")
            Field("hubPosition", .position, "The position of the hub up to which events are included.")
            Field("passport", .json, "The story as JSON.")
        }
        EventType(
            "goods-limits-set",
            "The limits for storing a kind of goods were set, replacing earlier ones of the same kind."
        ) {
            Field("goods", .text, "The kind of goods, a short name.")
            Field("title", .text, "The name that people read.")
            Field("products", .list(of: .text), "The names of the products that are of this kind.")
            Field("limits", .list(of: .record(.goodsLimit)), "The limits; empty if the kind is no longer watched.")
            Field("source", .text.optional, "Where the limits are from: a handbook, a table, a person.")
            Field(
                "stage", .enumeration(.lotStage).optional,
                "The stage of lots that the limits are for; omitted if they are for every stage without its own.")
        }
        EventType(
            "storage-limits-changed",
            "The goods in a store, or their limits, changed: the limits that now apply to the store."
        ) {
            Field("store", .storeID, "The store.")
            Field("title", .text, "The store's name.")
            Field("goods", .list(of: .record(.storedGoods)), "The kinds of goods in the store that have limits.")
            Field("conflicts", .list(of: .record(.goodsConflict)), "The limits that cannot all be obeyed.")
        }
    }
}

extension RecordType {
    static let goodsLimit = RecordType("GoodsLimit", "The limits of one quantity for a kind of goods.") {
        Field("quantity", .quantity, "The quantity.")
        Field("above", .number.optional, "The upper limit, in the quantity's unit; omitted if there is none.")
        Field("below", .number.optional, "The lower limit, in the quantity's unit; omitted if there is none.")
    }

    static let storedGoods = RecordType("StoredGoods", "Lots of one kind of goods in a store.") {
        Field("goods", .text, "The kind of goods.")
        Field("title", .text, "Its name.")
        Field("limits", .list(of: .record(.goodsLimit)), "Its limits.")
        Field("lots", .list(of: .lotID), "The lots, the first 50 by number.")
        Field("others", .integerUnlessZero, "The number of further lots.")
    }

    static let goodsConflict = RecordType(
        "GoodsConflict", "Kinds of goods in one store of which no value of a quantity suits all."
    ) {
        Field("quantity", .quantity, "The quantity.")
        Field("needed", .number, "The highest of the lower limits, in the quantity's unit.")
        Field("tolerated", .number, "The lowest of the upper limits, less than `needed`.")
        Field("needing", .list(of: .text), "The kinds that need more than others tolerate.")
        Field("tolerating", .list(of: .text), "The kinds that tolerate less than others need.")
    }
}

extension RecordType {
    static let activityDetails = RecordType("ActivityDetails", "The substance and amount of an activity.") {
        Field("substance", .text.optional, "Seed, fertiliser or plant protection product.")
        Field("amount", .number.optional, "The amount, in `unit`.")
        Field("unit", .text.optional, "The unit as the grower writes it: `kg`, `l`, `g`, `ml` …")
        Field("waitingDays", .integer.optional, "The waiting time before the plot may be harvested; days.")
    }
}

extension EnumType {
    static let activityKind = EnumType(
        "ActivityKind", "The kinds of work on a plot.",
        [
            Case("sowing", "Seed was sown."),
            Case("planting", "Plants were planted."),
            Case("irrigating", "The plot was watered."),
            Case("fertilising", "Fertiliser was applied."),
            Case("plant-protection", "A plant protection product was applied."),
            Case("weeding", "Weeds were removed."),
        ])
}

extension EnumType {
    static let lotStage = EnumType(
        "LotStage", "A stage of a lot that needs limits of its own for storage.",
        [
            Case("harvested", "As harvested: not in boxes yet."),
            Case("packed", "In boxes."),
        ])
}
