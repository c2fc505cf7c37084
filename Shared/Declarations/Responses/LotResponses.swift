extension RecordType {
    static let lotResponse = RecordType("LotResponse", "A lot.") {
        Field("lot", .lotID, "The lot.")
        Field("gtin", .text, "The item number (GTIN-14) of its product; empty if its harvest is unknown.")
        Field("product", .text, "What was harvested; empty if that is unknown.")
        Field("plot", .plotID, "Where it was harvested.")
        Field("farm", .farmID, "The farm.")
        Field("grams", .integer, "The weight that was harvested.")
        Field("left", .integer, "The weight that is neither packed nor split off.")
        Field("splitOff", .integer, "The weight that was split off into other lots.")
        Field("packed", .integer, "The weight that was packed before it was handed over.")
        Field("handedOver", .integer, "The weight that was handed over.")
        Field("harvested", .instant.optional, "When it was harvested.")
        Field("parent", .lotID.optional, "The lot that it was split off.")
        Field("boxes", .integer, "The number of its boxes.")
        Field("place", .place.optional, "Where it is stored.")
        Field("handedTo", .text.optional, "To whom it was handed over.")
        Field("recalled", .text.optional, "Why it was recalled.")
        Field("safety", .enumeration(.safety), "Whether it may be labelled, sold and handed over.")
        Field("held", .text.optional, "Why it is on hold.")
        Field("released", .text.optional, "Why a person released it.")
        Field("printed", .boolean, "Whether its labels were printed.")
        Field("alarm", .boolean, "Whether it was in a store during an alarm there.")
        Field("waiting", .boolean.optional, "True if events of its places' sensors wait for an operator.")
    }

    static let lotHistoryResponse = RecordType(
        "LotHistoryResponse", "A lot with its boxes and where it has been."
    ) {
        Field("lot", .fields(of: .lotResponse), "The lot.")
        Field("boxList", .list(of: .record(.boxResponse)), "Its boxes.")
        Field("children", .list(of: .lotID), "The lots that were split off it.")
        Field("custody", .list(of: .record(.custodyResponse)), "What happened to it, in order.")
    }

    static let boxResponse = RecordType("BoxResponse", "A box of a lot.") {
        Field("serial", .text, "Its serial number.")
        Field("number", .integer, "Its running number in the lot.")
        Field("grams", .integer, "The weight in it.")
    }

    static let custodyResponse = RecordType("CustodyResponse", "A step in the history of a lot.") {
        Field("what", .enumeration(.custodyStep), "What happened.")
        Field("at", .instant, "When.")
        Field("place", .place.optional, "Where it was stored.")
        Field("to", .text.optional, "To whom it was handed over.")
        Field("reason", .text.optional, "Why it was corrected, recalled, held or released.")
        Field("grams", .integer.optional, "The weight that it is about.")
        Field("boxes", .integer.optional, "The number of boxes that were packed.")
    }

    static let holdResponse = RecordType("HoldResponse", "A harvested lot that is on hold.") {
        Field("lot", .lotID, "The lot. Lots that were split off it are on hold with it.")
        Field("product", .text, "What was harvested.")
        Field("plot", .plotID, "Where.")
        Field("farm", .farmID, "The farm.")
        Field("harvested", .instant.optional, "When it was harvested.")
        Field("since", .instant.optional, "Since when it is on hold.")
        Field("reason", .text, "Why.")
        Field("handedTo", .text.optional, "To whom it was handed over before.")
    }
}

extension EnumType {
    static let safety = EnumType(
        "Safety", "Whether a lot may be labelled, sold and handed over.",
        [
            Case("clear", "It may."),
            Case(
                "held",
                "It was harvested before a waiting time was over, and no person has released it yet."),
            Case("released", "It was held, and a person released it."), Case("recalled", "It was recalled."),
        ])

    static let custodyStep = EnumType(
        "CustodyStep", "A step in the history of a lot.",
        [
            Case("harvested", "It was harvested."), Case("corrected", "The weight of the harvest was corrected."),
            Case("split", "A part was split off."), Case("packed", "A part was packed."),
            Case("stored", "It was brought to a place."), Case("handed-over", "It was handed over."),
            Case("recalled", "It was recalled."), Case("held", "It was put on hold."),
            Case("released", "A person released it."), Case("hold-lifted", "The reason of the hold was corrected."),
        ])
}
