import JSON
import Vocabulary

// The types that fields may have, beside records and sets of texts.
extension FieldType {
    static let text = standard("String", JSONSchema.text())
    static let boolean = standard("Bool", .object([("type", .string("boolean"))]))
    static let integer = standard("Int", JSONSchema.integer())
    static let integer64 = standard("Int64", JSONSchema.integer())
    /// A whole number from 0 to 2^64 − 1.
    static let natural = standard("UInt64", JSONSchema.integer(minimum: 0))
    static let number = standard("Double", .object([("type", .string("number"))]))
    /// Any JSON.
    static let json = value(ValueType("JSONAny", schema: .object([])))

    static let position = value(ValueType("Position", in: "EventSourcing", schema: JSONSchema.integer(minimum: 0)))
    static let epoch = value(ValueType("Epoch", in: "EventSourcing", schema: JSONSchema.epoch))

    static let instant = vocabulary("Instant", JSONSchema.text(format: "date-time"))
    static let uuid = vocabulary("UUID", JSONSchema.text(format: "uuid"))
    static let gtin = vocabulary("GTIN", JSONSchema.text(pattern: "^[0-9]{14}$"))
    static let place = vocabulary("Place", JSONSchema.text(pattern: "^(plot|store)/.+$"))
    static let quantity = vocabulary("Quantity", JSONSchema.oneOf(Quantity.allCases.map(\.rawValue)))
    /// An amount in the smallest unit of its currency.
    static let money = vocabulary(
        "Money",
        JSONSchema.object([
            ("minor", JSONSchema.integer(), true), ("currency", JSONSchema.text(pattern: "^[A-Z]{3}$"), true),
        ]))

    static let activityID = identifier("ActivityID")
    static let deviceID = identifier("DeviceID")
    static let beaconRegionID = identifier("BeaconRegionID")
    static let farmID = identifier("FarmID")
    static let inventoryID = identifier("InventoryID")
    static let itemID = identifier("ItemID")
    static let lotID = identifier("LotID")
    static let offerID = identifier("OfferID")
    static let orderID = identifier("OrderID")
    static let paymentID = identifier("PaymentID")
    static let personID = identifier("PersonID")
    static let pickupID = identifier("PickupID")
    static let plotID = identifier("PlotID")
    static let pointID = identifier("PointID")
    static let productID = identifier("ProductID")
    static let promotionID = identifier("PromotionID")
    static let refundID = identifier("RefundID")
    static let ruleID = identifier("RuleID")
    static let stocktakeID = identifier("StocktakeID")
    static let storeID = identifier("StoreID")

    /// A farm or a product, as `farm/f1` or `product/carrots`; written by hand in `Events`.
    static let favourite = value(ValueType("Favourite", schema: JSONSchema.text(pattern: "^(farm|product)/.+$")))
    /// A quantity, its value and its unit, which the quantity determines; written by hand in `Events`.
    static let reading = value(ValueType("Reading", schema: JSONSchema.reading))

    private static func standard(_ swift: String, _ schema: JSONAny) -> FieldType {
        .value(ValueType(swift, schema: schema))
    }

    private static func vocabulary(_ swift: String, _ schema: JSONAny) -> FieldType {
        .value(ValueType(swift, in: "Vocabulary", schema: schema))
    }

    private static func identifier(_ swift: String) -> FieldType {
        vocabulary(swift, JSONSchema.identifier)
    }
}
