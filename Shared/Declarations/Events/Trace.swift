extension Family {
    /// TODO
    public static let trace = Family(
        "trace", "TODO",
        records: [.activityDetails],
        enums: [.activityKind]
    ) {
        EventType("farm-founded", "A farm was set up.") {
            Field("title", .text, "TODO title")
            Field("zone", .text, "The IANA time zone of the farm's days and cut-off times.")
            Field("country", .text.optional, "The country (ISO 3166-1, two letters).")
        }
        EventType("plot-laid-out", "A plot was created.") {
            Field("plot", .plotID, "TODO plot")
            Field("title", .text, "TODO title")
            Field("crop", .text.optional, "TODO crop")
            Field("areaSquareMetres", .number.optional, "TODO areaSquareMetres")
        }
        EventType("store-opened", "A store for lots was created.") {
            Field("store", .storeID, "TODO store")
            Field("title", .text, "TODO title")
            Field("cold", .boolean, "TODO cold")
        }
        EventType("activity-recorded", "A grower's activity on a plot; the event's time is when it was done.") {
            Field("activity", .activityID, "TODO activity")
            Field("plot", .plotID, "TODO plot")
            Field("kind", .enumeration(.activityKind), "TODO kind")
            Field("details", .record(.activityDetails), "TODO details")
        }
        EventType(
            "activity-corrected",
            "A recorded activity was corrected, with the reason; the original event stays."
        ) {
            Field("activity", .activityID, "TODO activity")
            Field("kind", .enumeration(.activityKind), "TODO kind")
            Field("happened", .instant, "TODO happened")
            Field("details", .record(.activityDetails), "TODO details")
            Field("reason", .text, "TODO reason")
        }
        EventType("harvested", "A lot was harvested from a plot.") {
            Field("lot", .lotID, "TODO lot")
            Field("gtin", .gtin, "TODO gtin")
            Field("product", .text, "TODO product")
            Field("plot", .plotID, "TODO plot")
            Field("grams", .integer, "TODO grams")
            Field("from", .instant, "The start of its growth on the plot: the last sowing, or the harvest itself.")
        }
        EventType("harvest-corrected", "The recorded weight of a lot was corrected; the original event stays.") {
            Field("lot", .lotID, "TODO lot")
            Field("grams", .integer, "The whole harvested weight.")
            Field("reason", .text, "TODO reason")
        }
        EventType("lot-split", "Part of a lot became a separate lot.") {
            Field("lot", .lotID, "TODO lot")
            Field("into", .lotID, "TODO into")
            Field("grams", .integer, "TODO grams")
        }
        EventType("packed", "A lot was packed into boxes, each with an unguessable serial number.") {
            Field("lot", .lotID, "TODO lot")
            Field("gramsEach", .integer, "TODO gramsEach")
            Field("serials", .list(of: .text), "The serial numbers: 13 upper-case letters and digits each.")
        }
        EventType("stored", "A lot was moved into a store.") {
            Field("lot", .lotID, "TODO lot")
            Field("store", .storeID, "TODO store")
        }
        EventType("handed-over", "A lot left the farm.") {
            Field("lot", .lotID, "TODO lot")
            Field("to", .text, "The recipient: a trade partner, not a person.")
            Field("document", .text.optional, "The number of the delivery note.")
        }
        EventType("lot-recalled", "A lot was recalled: it must not be sold or eaten, and its buyers must be warned.") {
            Field("lot", .lotID, "TODO lot")
            Field("includes", .list(of: .lotID), "The lots that were split off it, directly or indirectly.")
            Field("reason", .text, "TODO reason")
        }
        EventType(
            "lot-held",
            """
            A lot was put on hold: it must not be labelled, sold or handed over until a person releases it.

            It was harvested before the waiting time of an activity on its plot was over.
            """
        ) {
            Field("lot", .lotID, "TODO lot")
            Field(
                "includes", .list(of: .lotID),
                "The lots that were split off it, directly or indirectly; they are in the same state.")
            Field("activity", .activityID, "The activity whose waiting time was not over.")
            Field("until", .instant, "When the waiting time of the activity ends.")
            Field("reason", .text, "TODO reason")
        }
        EventType("lot-released", "A person released a lot from its holds; that person is the actor of the event.") {
            Field("lot", .lotID, "TODO lot")
            Field(
                "includes", .list(of: .lotID),
                "The lots that were split off it, directly or indirectly; they are in the same state.")
            Field("reason", .text, "TODO reason")
        }
        EventType(
            "lot-hold-lifted",
            "A hold was lifted: after a correction, the waiting time of the activity was over at the harvest."
        ) {
            Field("lot", .lotID, "TODO lot")
            Field(
                "includes", .list(of: .lotID),
                "The lots that were split off it, directly or indirectly; they are in the same state.")
            Field("activity", .activityID, "The activity that was the reason of the hold.")
            Field("reason", .text, "TODO reason")
        }
        EventType("label-key-added", "A key (ECDSA P-256) was added, which signs labels from now on.") {
            Field("kid", .text, "The key id on labels: four letters or digits.")
            Field("publicKey", .text, "The uncompressed point in base64url.")
        }
        EventType("label-key-revoked", "A label key was revoked: labels signed with it are invalid.") {
            Field("kid", .text, "TODO kid")
            Field("reason", .text, "TODO reason")
        }
        EventType("labels-printed", "Labels of a lot were printed.") {
            Field("lot", .lotID, "TODO lot")
            Field("kid", .text, "TODO kid")
            Field("count", .integer, "TODO count")
        }
        EventType(
            "passport-issued",
            "The story of a lot at one moment, shown with a proof to everyone who scans its label."
        ) {
            Field("lot", .lotID, "TODO lot")
            Field("hubPosition", .position, "The position of the hub up to which events are included.")
            Field("passport", .json, "TODO passport")
        }
    }
}

extension RecordType {
    static let activityDetails = RecordType("ActivityDetails", "The substance and amount of an activity.") {
        Field("substance", .text.optional, "Seed, fertiliser or plant protection product.")
        Field("amount", .number.optional, "TODO amount")
        Field("unit", .text.optional, "The unit as the grower writes it: `kg`, `l`, `g`, `ml` …")
        Field("waitingDays", .integer.optional, "The waiting time before the plot may be harvested; days.")
    }
}

extension EnumType {
    static let activityKind = EnumType(
        "ActivityKind", "The kinds of work on a plot.",
        [
            Case("sowing", "TODO sowing"),
            Case("planting", "TODO planting"),
            Case("irrigating", "TODO irrigating"),
            Case("fertilising", "TODO fertilising"),
            Case("plant-protection", "TODO plantProtection"),
            Case("weeding", "TODO weeding"),
        ])
}
