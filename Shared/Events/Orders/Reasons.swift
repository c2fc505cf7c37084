public import JSON

/// How an order is paid.
public enum PaymentMethod: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    /// Cash at the pickup.
    case atPickup = "at-pickup"
    /// The sandbox provider, which moves no real money.
    case sandbox
}

/// Why the stock reserved for a cart was released.
public enum CartReleaseReason: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case ordered
    case emptied
    case expired
    /// A lot in it was recalled.
    case blocked
    /// The buyer's data was erased.
    case erased
}

/// Why an order was cancelled.
public enum CancelReason: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case buyer
    case staff
    /// It was not paid in time.
    case unpaid
    /// A lot in it was recalled.
    case recalled
}
