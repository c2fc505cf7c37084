/// Where tables of a service's views lie: those that it uses, and beside them those of another time or version.
public enum ViewGeneration: String, Sendable, CaseIterable {
    /// What the service folds into and reads.
    case live
    /// Folded from the log while the service goes on with the live ones.
    case next
    /// Rebuilt and compared: the next start whose shape they have takes them.
    case ready
    /// Chosen by a start that has not ended yet; what is here becomes live, whatever happens.
    case taken
    /// What was live before: the way back.
    case previous

    package var fileName: String { self == .live ? "views.db" : "views.\(rawValue).db" }

    package var schemaName: String { self == .live ? "views" : "views_\(rawValue)" }
}

extension ViewGeneration {
    /// Where a start takes its tables from, by the shapes that it finds (nil: none there): those that were rebuilt for
    /// it, or, of an older build that has come back, those it left. Nil for the live ones, which are folded anew where
    /// they have another shape.
    package static func chosen(
        own: String, live: String?, ready: String?, previous: String?
    ) -> ViewGeneration? {
        if ready == own { return .ready }
        return live != nil && live != own && previous == own ? .previous : nil
    }
}
