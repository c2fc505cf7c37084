public import JSON

/// A role, which determines a person's permissions on a farm.
public enum Role: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    /// Manages accounts, keys and rules.
    case administrator
    /// Records activities on plots and with lots.
    case grower
    /// Reads everything, changes nothing.
    case auditor
    /// Buys; sees own orders and public data.
    case buyer
}
