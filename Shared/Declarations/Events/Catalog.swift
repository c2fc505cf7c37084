extension Family {
    /// TODO
    public static let catalog = Family(
        "catalog", "TODO",
        records: [.productDetails],
        enums: []
    ) {
        EventType(
            "farm-profiled",
            "A farm's whole entry in the directory, replacing an earlier one; the farm is in the envelope."
        ) {
            Field("title", .text, "TODO title")
            Field("county", .text.optional, "The farm's display name: `Greene`.")
            Field("region", .text.optional, "State or province.")
            Field("street", .text.optional, "TODO street")
            Field("telephone", .text.optional, "The farm's telephone number, not a person's.")
            Field("website", .text.optional, "TODO website")
            Field("description", .text.optional, "TODO description")
            Field("latitude", .number.optional, "Degrees north, WGS 84.")
            Field("longitude", .number.optional, "Degrees east, WGS 84.")
            Field("picture", .text.optional, "SHA-256 of the picture's file, in hex.")
            Field("alt", .text.optional, "The picture's alternative text.")
            Field("hasGoods", .boolean, "Whether the farm has goods for sale, as it declares.")
        }
        EventType("product-listed", "A farm added a product to its range; offers give the lot and the price.") {
            Field("product", .productID, "TODO product")
            Field("details", .record(.productDetails), "TODO details")
        }
        EventType("product-changed", "The whole description of a product was replaced.") {
            Field("product", .productID, "TODO product")
            Field("details", .record(.productDetails), "TODO details")
        }
        EventType("product-withdrawn", "A product was withdrawn, together with all offers of it.") {
            Field("product", .productID, "TODO product")
            Field("reason", .text.optional, "TODO reason")
        }
        EventType("offer-published", "A product of one lot was offered at a price, as long as the lot's stock lasts.") {
            Field("offer", .offerID, "TODO offer")
            Field("product", .productID, "TODO product")
            Field("lot", .lotID, "TODO lot")
            Field("price", .money, "The price of one unit of the product.")
            Field("takes", .integer, "The number of boxes of the lot in one unit, 1 or more.")
            Field("pickups", .list(of: .pickupID), "The pickup places; empty means all.")
            Field("until", .instant.optional, "The end of the offer; nil if it has none.")
        }
        EventType("offer-repriced", "The price of an offer changed; placed orders retain their price.") {
            Field("offer", .offerID, "TODO offer")
            Field("price", .money, "TODO price")
        }
        EventType("offer-withdrawn", "An offer was withdrawn and can no longer be ordered.") {
            Field("offer", .offerID, "TODO offer")
            Field("reason", .text.optional, "TODO reason")
        }
        EventType(
            "stock-set",
            "The stock of a lot was counted: all its boxes for sale, reserved and ordered ones included."
        ) {
            Field("lot", .lotID, "TODO lot")
            Field("boxes", .integer, "TODO boxes")
            Field("reason", .text.optional, "TODO reason")
        }
        EventType("stock-adjusted", "The stock of a lot changed for another reason than a sale.") {
            Field("lot", .lotID, "TODO lot")
            Field("by", .integer, "The change in boxes; negative if boxes were removed.")
            Field("reason", .text, "TODO reason")
        }
        EventType("lot-blocked", "A lot was blocked: none of it can be sold any more.") {
            Field("lot", .lotID, "TODO lot")
            Field("reason", .text, "TODO reason")
        }
        EventType("pickup-opened", "A pickup place was opened, or its whole description replaced.") {
            Field("pickup", .pickupID, "TODO pickup")
            Field("title", .text, "TODO title")
            Field("address", .text.optional, "TODO address")
            Field("county", .text.optional, "TODO county")
            Field("hours", .text.optional, "The opening hours, as a text for people.")
            Field("latitude", .number.optional, "Degrees north, WGS 84.")
            Field("longitude", .number.optional, "Degrees east, WGS 84.")
        }
        EventType("pickup-closed", "A pickup place was closed.") {
            Field("pickup", .pickupID, "TODO pickup")
            Field("reason", .text.optional, "TODO reason")
        }
        EventType("favourite-set", "A person added a farm or a product to their favourites.") {
            Field("person", .personID, "TODO person")
            Field("favourite", .favourite, "TODO favourite")
        }
        EventType("favourite-unset", "A person removed a farm or a product from their favourites.") {
            Field("person", .personID, "TODO person")
            Field("favourite", .favourite, "TODO favourite")
        }
    }
}

extension RecordType {
    static let productDetails = RecordType("ProductDetails", "The description of a product.") {
        Field("title", .text, "TODO title")
        Field("unit", .text, "The unit in which it is sold: `box of 5 kg`, `bunch`.")
        Field("category", .text.optional, "The category, in small letters: `vegetables`.")
        Field("description", .text.optional, "TODO description")
        Field("gtin", .gtin.optional, "TODO gtin")
        Field("picture", .text.optional, "SHA-256 of the picture's file, in hex.")
        Field("alt", .text.optional, "The picture's alternative text.")
    }
}
