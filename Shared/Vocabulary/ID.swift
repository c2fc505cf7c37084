public import JSON

/// The identifier of one entity, typed by its kind: a plot's identifier cannot be passed as a lot's.
///
/// ```
/// let lot = LotID("2026-CARROT-7")
/// ```
public struct ID<Thing>: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The identifier as text, as it is written in events.
    public let rawValue: String

    /// Creates an identifier; its format is not checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates an identifier; its format is not checked.
    public init(_ text: String) {
        rawValue = text
    }

    public var description: String { rawValue }

    public static func < (left: ID, right: ID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension ID: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        let text = try json.string()
        guard !text.isEmpty, text.utf8.count <= 200 else {
            throw json.error("expected a name of 1 to 200 bytes")
        }
        self.init(rawValue: text)
    }

    public func write(to json: inout JSONWriter) {
        json.string(rawValue)
    }
}

/// The kinds of entities that have identifiers; each type only parametrises `ID`.
public enum Thing {
    /// A radio device.
    public enum Device {}
    /// A measuring point.
    public enum Point {}
    /// An alarm rule.
    public enum Rule {}
    /// A farm.
    public enum Farm {}
    /// A plot in the field.
    public enum Plot {}
    /// A store for lots.
    public enum Store {}
    /// A lot.
    public enum Lot {}
    /// A recorded field activity.
    public enum Activity {}
    /// A person.
    public enum Person {}
    /// A product.
    public enum Product {}
    /// An offer.
    public enum Offer {}
    /// A promotion of a product.
    public enum Promotion {}
    /// A pickup place.
    public enum Pickup {}
    /// An order.
    public enum Order {}
    /// An attempt to pay an order.
    public enum Payment {}
    /// A refund.
    public enum Refund {}
    /// A list of items that a farm owns.
    public enum Inventory {}
    /// An item that a farm owns.
    public enum Item {}
    /// A stocktake.
    public enum Stocktake {}
    /// A region of beacons.
    public enum BeaconRegion {}
}

/// A radio device: `ble:` or `zb:` and the address printed on it, in lower-case hex.
public typealias DeviceID = ID<Thing.Device>
/// A measuring point: a place where a device measures; it persists when the device is replaced.
public typealias PointID = ID<Thing.Point>
/// An alarm rule.
public typealias RuleID = ID<Thing.Rule>
/// A farm.
public typealias FarmID = ID<Thing.Farm>
/// A plot in the field.
public typealias PlotID = ID<Thing.Plot>
/// A store where lots are kept.
public typealias StoreID = ID<Thing.Store>
/// A lot: the batch or lot number printed on its boxes, upper case (GS1 application identifier 10).
public typealias LotID = ID<Thing.Lot>
/// A recorded field activity.
public typealias ActivityID = ID<Thing.Activity>
/// A person, identified by a random number; the person's data is in a vault.
public typealias PersonID = ID<Thing.Person>
/// A product of a farm: `carrots`. The offer names the lot that it is sold from.
public typealias ProductID = ID<Thing.Product>
/// An offer of a product.
public typealias OfferID = ID<Thing.Offer>
/// A promotion of a product or of a category of products.
public typealias PromotionID = ID<Thing.Promotion>
/// A place where orders are picked up.
public typealias PickupID = ID<Thing.Pickup>
/// An order.
public typealias OrderID = ID<Thing.Order>
/// An attempt to pay an order.
public typealias PaymentID = ID<Thing.Payment>
/// A refund of a payment.
public typealias RefundID = ID<Thing.Refund>
/// A list of items that a farm owns and counts together.
public typealias InventoryID = ID<Thing.Inventory>
/// An item that a farm owns, such as a tool.
public typealias ItemID = ID<Thing.Item>
/// A stocktake of one inventory.
public typealias StocktakeID = ID<Thing.Stocktake>
/// A set of beacons that are watched together.
public typealias BeaconRegionID = ID<Thing.BeaconRegion>
