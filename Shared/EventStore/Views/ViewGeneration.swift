/// A generation of a service's view tables: the live ones, and others that are rebuilt or superseded.
public enum ViewGeneration: String, Sendable, CaseIterable {
    /// The tables that the service projects into and reads.
    case live
    /// The tables that are rebuilt from the log while the service uses the live ones.
    case next
    /// Rebuilt and compared tables. The next start of a build with the same shape makes them live.
    case ready
    /// The tables that a start has chosen. They become live, even if that start was interrupted.
    case taken
    /// The tables that were live before, to which an older build can return.
    case previous

    /// The name of the generation's SQLite file.
    package var fileName: String { self == .live ? "views.db" : "views.\(rawValue).db" }

    /// The name of the generation's schema in PostgreSQL.
    package var schemaName: String { self == .live ? "views" : "views_\(rawValue)" }
}

extension ViewGeneration {
    /// Returns the generation that a starting service makes live, given the shapes that exist (nil if there is none).
    ///
    /// Returns `ready` if it was rebuilt for this build, or `previous` if an older build has returned to its tables.
    /// Returns nil to use the live tables, which are emptied if they have another shape.
    package static func chosen(
        own: String, live: String?, ready: String?, previous: String?
    ) -> ViewGeneration? {
        if ready == own { return .ready }
        return live != nil && live != own && previous == own ? .previous : nil
    }
}
