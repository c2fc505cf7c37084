public import JSON

/// The name of one thing, told apart by what it names: a lot's name cannot stand where a plot's is asked for.
public struct ID<Thing>: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

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

/// The things that have names here.
public enum Thing {
    public enum Device {}
    public enum Point {}
    public enum Rule {}
    public enum Farm {}
    public enum Plot {}
    public enum Store {}
    public enum Lot {}
    public enum Activity {}
    public enum Person {}
    public enum Product {}
    public enum Offer {}
    public enum Pickup {}
    public enum Order {}
    public enum Payment {}
    public enum Refund {}
}

/// A radio: `ble:` or `zb:` and its address in lower-case hex as printed on it.
public typealias DeviceID = ID<Thing.Device>
/// A measuring point: the place where one device measures, which stays when the device is replaced.
public typealias PointID = ID<Thing.Point>
public typealias RuleID = ID<Thing.Rule>
public typealias FarmID = ID<Thing.Farm>
public typealias PlotID = ID<Thing.Plot>
public typealias StoreID = ID<Thing.Store>
/// A lot: the batch or lot number printed on its boxes, upper case (GS1 application identifier 10).
public typealias LotID = ID<Thing.Lot>
public typealias ActivityID = ID<Thing.Activity>
/// A person, named only by a random number; who that is stands in a vault.
public typealias PersonID = ID<Thing.Person>
/// What a farm sells: `carrots`. Which lot it comes from tells an offer.
public typealias ProductID = ID<Thing.Product>
public typealias OfferID = ID<Thing.Offer>
/// A place where orders are picked up.
public typealias PickupID = ID<Thing.Pickup>
public typealias OrderID = ID<Thing.Order>
/// One try to pay an order.
public typealias PaymentID = ID<Thing.Payment>
public typealias RefundID = ID<Thing.Refund>
