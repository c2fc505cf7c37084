extension RecordType {
    static let quoteResponse = RecordType("QuoteResponse", "What lines cost now.") {
        Field("lines", .list(of: .record(.orderLine)), "The lines with their prices.")
        Field("total", .money, "The sum of the lines.")
    }

    static let cartResponse = RecordType("CartResponse", "A cart with reserved stock.") {
        Field("lines", .list(of: .record(.orderLine)), "Its lines; empty if nothing is reserved.")
        Field("total", .money.optional, "The sum of the lines.")
        Field("until", .instant.optional, "When the reservation ends.")
    }

    static let soldOrder = RecordType("SoldOrder", "An order as the staff see it.") {
        Field("order", .fields(of: .orderRecord), "The order.")
        Field("buyer", .personID.optional, "The buyer.")
        Field("name", .text.optional, "The buyer's name, in a list.")
        Field("contact", .record(.contact).optional, "How to reach the buyer, of one order.")
    }

    static let contact = RecordType(
        "Contacts.Contact", isHandWritten: true, "How to reach a buyer, as far as it is known."
    ) {
        Field("name", .text.optional, "The name.")
        Field("address", .text.optional, "The address.")
        Field("telephone", .text.optional, "The telephone number.")
    }

    static let packingResponse = RecordType("PackingResponse", "What has to be packed for a pickup place.") {
        Field("pickup", .text, "The pickup place.")
        Field("title", .text.optional, "Its name.")
        Field("orders", .integer, "The number of its open orders.")
        Field("lines", .list(of: .record(.packingLine)), "The goods of all these orders.")
    }

    static let packingLine = RecordType("PackingLine", "A product of one lot, summed over orders.") {
        Field("product", .productID, "The product.")
        Field("title", .text.optional, "Its name.")
        Field("unit", .text.optional, "The unit in which it is sold.")
        Field("lot", .lotID.optional, "The lot.")
        Field("quantity", .integer, "The number of units.")
        Field("boxes", .integer, "The number of boxes.")
    }

    static let marketExport = RecordType("MarketExport", "All that the market stores about a person.") {
        Field("contact", .record(.contact).optional, "How to reach them.")
        Field("favourites", .list(of: .favourite), "Their favourites.")
        Field("promotions", .list(of: .record(.exportedPromotion)), "The promotions that they were shown, or not.")
        Field("orders", .list(of: .record(.orderRecord)), "Their orders, the oldest first.")
    }

    static let exportedPromotion = RecordType("ExportedPromotion", "A promotion that a person was shown, or not.") {
        Field("promotion", .promotionID, "The promotion.")
        Field("since", .instant, "When it was first shown or held back.")
        Field("heldBack", .boolean, "Whether the person is one of those who do not see it.")
    }
}
