extension Family {
    public static let catalog = Family(
        "catalog", "Farms, products, offers, promotions, stock and pickup places, as buyers see them, and favourites.",
        records: [
            .productDetails, .productContents, .promotionRule, .promotionArea, .promotionHours, .promotionClosing,
            .openingTime,
        ],
        enums: [.allergen, .diet, .promotionAudience, .promotionEndReason]
    ) {
        EventType(
            "farm-profiled",
            "A farm's whole entry in the directory, replacing an earlier one; the farm is in the envelope."
        ) {
            Field("title", .text, "The farm's name.")
            Field("county", .text.optional, "The county's name, as on the map: `Greene`.")
            Field("region", .text.optional, "State or province.")
            Field("street", .text.optional, "Street, number and town.")
            Field("telephone", .text.optional, "The farm's telephone number, not a person's.")
            Field("website", .text.optional, "The farm's address on the web, with its scheme.")
            Field("description", .text.optional, "A description for buyers; plain text.")
            Field("latitude", .number.optional, "Degrees north, WGS 84.")
            Field("longitude", .number.optional, "Degrees east, WGS 84.")
            Field("picture", .text.optional, "SHA-256 of the picture's file, in hex.")
            Field(
                "thumbnail", .text.optional,
                "SHA-256 of a small copy of the picture, 320 pixels long; omitted if there is none.")
            Field("alt", .text.optional, "The picture's alternative text.")
            Field("hasGoods", .boolean, "Whether the farm has goods for sale, as it declares.")
        }
        EventType("product-listed", "A farm added a product to its range; offers give the lot and the price.") {
            Field("product", .productID, "The product.")
            Field("details", .record(.productDetails), "How the product is described and sold.")
        }
        EventType("product-changed", "The whole description of a product was replaced.") {
            Field("product", .productID, "The product.")
            Field("details", .record(.productDetails), "The whole description after the change.")
        }
        EventType("product-withdrawn", "A product was withdrawn, together with all offers of it.") {
            Field("product", .productID, "The product.")
            Field("reason", .text.optional, "The reason in words; omitted if none was given.")
        }
        EventType("offer-published", "A product of one lot was offered at a price, as long as the lot's stock lasts.") {
            Field("offer", .offerID, "The offer.")
            Field("product", .productID, "The product.")
            Field("lot", .lotID, "The lot from which its boxes are taken.")
            Field("price", .money, "The price of one unit of the product.")
            Field("takes", .integer, "The number of boxes of the lot in one unit, 1 or more.")
            Field("pickups", .list(of: .pickupID), "The pickup places; empty means all.")
            Field("until", .instant.optional, "The end of the offer; nil if it has none.")
        }
        EventType("offer-repriced", "The price of an offer changed; placed orders retain their price.") {
            Field("offer", .offerID, "The offer.")
            Field("price", .money, "The new price of one unit.")
        }
        EventType("offer-withdrawn", "An offer was withdrawn and can no longer be ordered.") {
            Field("offer", .offerID, "The offer.")
            Field("reason", .text.optional, "The reason in words; omitted if none was given.")
        }
        EventType(
            "stock-set",
            "The stock of a lot was counted: all its boxes for sale, reserved and ordered ones included."
        ) {
            Field("lot", .lotID, "The lot.")
            Field("boxes", .integer, "The number of boxes, 0 or more.")
            Field("reason", .text.optional, "The reason in words; omitted if none was given.")
        }
        EventType("stock-adjusted", "The stock of a lot changed for another reason than a sale.") {
            Field("lot", .lotID, "The lot.")
            Field("by", .integer, "The change in boxes; negative if boxes were removed.")
            Field("reason", .text, "The reason in words.")
        }
        EventType("lot-blocked", "A lot was blocked: none of it can be sold any more.") {
            Field("lot", .lotID, "The lot.")
            Field("reason", .text, "The reason in words.")
        }
        EventType(
            "stock-level-changed",
            """
            The boxes of a lot from now on. It is in the commit of the events that change them: sales, counts, recalls
            and holds.
            """
        ) {
            Field("lot", .lotID, "The lot.")
            Field("boxes", .integer, "The boxes for sale that are not collected, reserved and ordered ones included.")
            Field("held", .integer, "The boxes that are reserved for carts.")
            Field("ordered", .integer, "The boxes that are ordered and not collected.")
            Field(
                "free", .integer,
                "The boxes that can be ordered; 0 for a lot that is blocked, recalled, on hold or has left the farm.")
        }
        EventType("pickup-opened", "A pickup place was opened, or its whole description replaced.") {
            Field("pickup", .pickupID, "The pickup place.")
            Field("title", .text, "The place's name.")
            Field("address", .text.optional, "Street, number and town.")
            Field("county", .text.optional, "The county's name.")
            Field("hours", .text.optional, "The opening hours, as a text for people.")
            Field("opens", .listUnlessEmpty(.record(.openingTime)), "The opening times of a week; omitted: not known.")
            Field("latitude", .number.optional, "Degrees north, WGS 84.")
            Field("longitude", .number.optional, "Degrees east, WGS 84.")
        }
        EventType("pickup-closed", "A pickup place was closed.") {
            Field("pickup", .pickupID, "The pickup place.")
            Field("reason", .text.optional, "The reason in words; omitted if none was given.")
        }
        EventType("favourite-set", "A person added a farm or a product to their favourites.") {
            Field("person", .personID, "The person; their data is in a vault.")
            Field("favourite", .favourite, "The farm or product.")
        }
        EventType("favourite-unset", "A person removed a farm or a product from their favourites.") {
            Field("person", .personID, "The person; their data is in a vault.")
            Field("favourite", .favourite, "The farm or product.")
        }
        EventType("promotion-published", "A promotion was published, or its whole rule was replaced.") {
            Field("promotion", .promotionID, "The promotion.")
            Field("rule", .record(.promotionRule), "What it says, to whom, where and when.")
        }
        EventType("promotion-ended", "A promotion ended.") {
            Field("promotion", .promotionID, "The promotion.")
            Field("why", .enumeration(.promotionEndReason), "Why it ended.")
        }
        EventType(
            "promotion-shown",
            "A person's device showed a promotion to them for the first time, or held it back from them."
        ) {
            Field("promotion", .promotionID, "The promotion.")
            Field("person", .personID, "The person; their data is in a vault.")
            Field("heldBack", .boolean, "Whether the person is one of those who do not see it, for comparison.")
        }
    }
}

extension RecordType {
    static let promotionRule = RecordType(
        "PromotionRule",
        "What a promotion says, to whom, where and when. Devices decide by it, so that where they are stays on them."
    ) {
        Field("title", .text, "What people read first; one line.")
        Field("text", .text.optional, "Further words; plain text.")
        Field("product", .productID.optional, "The product; omitted if it is about a category.")
        Field("category", .text.optional, "The category of products; omitted if it is about a product.")
        Field("lot", .lotID.optional, "The lot of the product that has to go; shown only while it is for sale.")
        Field("audience", .enumeration(.promotionAudience), "To whom it is shown.")
        Field("area", .record(.promotionArea).optional, "Where it is shown; omitted: everywhere.")
        Field("county", .text.optional, "The county that people have chosen as theirs; omitted: any.")
        Field("from", .instant, "When it begins.")
        Field("until", .instant, "When it ends.")
        Field("hours", .record(.promotionHours).optional, "The hours and days of the week; omitted: all.")
        Field(
            "beforeClosing", .record(.promotionClosing).optional,
            "Shown before a pickup place closes, on each day on which it opens; omitted: at any time.")
        Field(
            "beacons", .text.optional,
            "The beacons, `ibeacon:<uuid>[:<major>[:<minor>]]` or `eddystone:<namespace>[:<instance>]`, one of which "
                + "the device receives; omitted: anywhere.")
        Field(
            "node", .text.optional,
            "The address of a proxy node, `bus.local:8091`, at which the shop is opened; omitted: at any.")
        Field("timesPerDay", .integer, "How often a person is shown it on a day.")
        Field("people", .integer.optional, "After how many people it ends; omitted: no limit.")
        Field("heldBackPercent", .integer, "How many of 100 people do not see it, for comparison.")
        Field("priority", .integer, "0 to 9; the highest are shown first.")
        Field(
            "notifies", .boolean.optional,
            "Whether buyers who asked for it are notified on their devices; omitted: no.")
    }

    static let promotionArea = RecordType("PromotionArea", "A circle in which a promotion is shown.") {
        Field("latitude", .number, "Degrees north of its centre, WGS 84.")
        Field("longitude", .number, "Degrees east of its centre, WGS 84.")
        Field("metres", .integer, "Its radius.")
    }

    static let promotionHours = RecordType("PromotionHours", "The times of a week at which a promotion is shown.") {
        Field("weekdays", .list(of: .integer), "1 for Monday to 7 for Sunday; empty: every day.")
        Field("from", .text.optional, "The time of day at which it begins: `16:00`; omitted: at midnight.")
        Field("to", .text.optional, "The time of day at which it ends, after `from`; omitted: at midnight.")
        Field("zone", .text, "The time zone of these times: `Europe/Vienna`.")
    }
}

extension RecordType {
    static let promotionClosing = RecordType(
        "PromotionClosing", "The last minutes before a pickup place closes."
    ) {
        Field("pickup", .pickupID, "The pickup place.")
        Field("minutes", .integer, "How many of them, 5 to 720.")
    }

    static let openingTime = RecordType(
        "OpeningTime", "A time at which a place is open, in the time zone of its farm."
    ) {
        Field("weekdays", .list(of: .integer), "1 for Monday to 7 for Sunday; at least one.")
        Field("from", .text, "When it opens: `08:00`.")
        Field("to", .text, "When it closes, later on the same day: `12:30`.")
    }
}

extension EnumType {
    static let promotionAudience = EnumType(
        "PromotionAudience", "To whom a promotion is shown.",
        [
            Case("everyone", "Everyone."),
            Case("favourites", "People who have the product or its farm among their favourites."),
            Case("interested", "People who have chosen the product's category among their preferences."),
        ])

    static let promotionEndReason = EnumType(
        "PromotionEndReason", "Why a promotion ended.",
        [
            Case("withdrawn", "The staff ended it."),
            Case("over", "Its time was over."),
            Case("reached", "As many people have seen it as it was meant for."),
        ])
}

extension RecordType {
    static let productDetails = RecordType("ProductDetails", "The description of a product.") {
        Field("title", .text, "The product's name.")
        Field("unit", .text, "The unit in which it is sold: `box of 5 kg`, `bunch`.")
        Field("category", .text.optional, "The category, in small letters: `vegetables`.")
        Field("description", .text.optional, "A description for buyers; plain text.")
        Field("gtin", .gtin.optional, "The product's GTIN; omitted if it has none.")
        Field("picture", .text.optional, "SHA-256 of the picture's file, in hex.")
        Field(
            "thumbnail", .text.optional,
            "SHA-256 of a small copy of the picture, 320 pixels long; omitted if there is none.")
        Field("alt", .text.optional, "The picture's alternative text.")
        Field(
            "contents", .record(.productContents).optional,
            "What it contains; omitted if the farm has not declared it.")
    }

    static let productContents = RecordType("ProductContents", "What a farm declares of a product's contents.") {
        Field("allergens", .list(of: .enumeration(.allergen)), "The allergens in it; empty if there are none.")
        Field("diet", .enumeration(.diet).optional, "For which diet it is; omitted if the farm has not declared it.")
    }
}

extension EnumType {
    static let allergen = EnumType(
        "Allergen", "A substance that has to be declared: Regulation (EU) No 1169/2011, annex II.",
        [
            Case("gluten", "Cereals with gluten."), Case("crustaceans", "Crustaceans."), Case("eggs", "Eggs."),
            Case("fish", "Fish."), Case("peanuts", "Peanuts."), Case("soya", "Soybeans."), Case("milk", "Milk."),
            Case("nuts", "Nuts."), Case("celery", "Celery."), Case("mustard", "Mustard."),
            Case("sesame", "Sesame seeds."), Case("sulphites", "Sulphur dioxide and sulphites."),
            Case("lupin", "Lupin."), Case("molluscs", "Molluscs."),
        ])

    static let diet = EnumType(
        "Diet", "A diet, by what comes from animals.",
        [
            Case("vegan", "Nothing in it comes from animals."),
            Case("vegetarian", "Nothing in it is of a dead animal."),
            Case("neither", "It contains meat, fish or the like."),
        ])
}
