public import JSON

/// What somebody may do on a farm.
public enum Role: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    /// Makes accounts, keys and rules.
    case administrator
    /// Records what happens on plots and with lots.
    case grower
    /// Reads everything, changes nothing.
    case auditor
    /// Buys; sees what is theirs and what everybody sees.
    case buyer
}
