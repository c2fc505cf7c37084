public import JSON

/// How an order is paid.
public enum PaymentMethod: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    /// In the hand of whoever gives the goods out.
    case atPickup = "at-pickup"
    /// With the sandbox provider: everything but real money.
    case sandbox
}

/// Why nothing is kept for a cart any more.
public enum CartReleaseReason: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case ordered
    case emptied
    case expired
    /// Something in it was recalled.
    case blocked
    /// The buyer was erased.
    case erased
}

/// Why an order is off.
public enum CancelReason: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case buyer
    case staff
    /// It was not paid in time.
    case unpaid
    /// Something in it was recalled.
    case recalled
}
