public import EventSourcing
import SQLite
import System

/// The generations of a service's view tables as SQLite files in its folder.
public struct SQLiteViewStore: ViewStore {
    private let folder: String

    /// Creates a store for the folder.
    public init(_ folder: String) {
        self.folder = folder
    }

    /// Returns the path of a generation's file.
    public func path(of place: ViewGeneration) -> String { "\(folder)/\(place.fileName)" }

    public func look(at place: ViewGeneration) throws(LogFailure) -> (any ViewSnapshot)? {
        guard File.exists(path(of: place)) else { return nil }
        return try ViewFileSnapshot(path(of: place))
    }

    public func next(_ schemas: [TableSchema]) throws(LogFailure) -> any TableStore {
        try SQLiteTables(path: path(of: .next), schemas)
    }

    /// Renames the file, after its WAL was moved into it. The renaming is the one step. A damaged file is removed
    /// instead.
    public func move(_ place: ViewGeneration, to other: ViewGeneration) throws(LogFailure) {
        do throws(SQLiteError) {
            try Database(path: path(of: place), mode: .writer).checkpoint(truncate: true)
        } catch {
            guard error.isCorrupt else { throw LogFailure("move views", error) }
            return try remove(place)
        }
        try remove(other)
        try files("move views") { () throws(SystemError) in
            for suffix in Self.companions { try File.remove(path(of: place) + suffix) }
            try File.move(path(of: place), to: path(of: other))
        }
    }

    public func remove(_ place: ViewGeneration) throws(LogFailure) {
        try files("remove views") { () throws(SystemError) in
            for suffix in Self.companions + [""] { try File.remove(path(of: place) + suffix) }
        }
    }

    /// Completes an interrupted start and makes another generation live if it fits the shape. Returns that generation.
    func settle(for shape: TableShape) throws(LogFailure) -> ViewGeneration? {
        try finish()
        let place = ViewGeneration.chosen(
            own: shape.text, live: shapeText(of: .live), ready: shapeText(of: .ready),
            previous: shapeText(of: .previous))
        guard let place else { return nil }
        try move(place, to: .taken)
        try finish()
        return place
    }

    /// Makes the generation live that a start has chosen, even if that start was interrupted.
    private func finish() throws(LogFailure) {
        guard File.exists(path(of: .taken)) else { return }
        if shapeText(of: .live) != nil { try move(.live, to: .previous) }
        try move(.taken, to: .live)
    }

    /// Returns the stored shape; nil if there is no file or it is damaged.
    private func shapeText(of place: ViewGeneration) -> String? {
        do throws(LogFailure) {
            return try look(at: place)?.shape
        } catch {
            return nil
        }
    }

    private static let companions = ["-wal", "-shm"]

    private func files(_ operation: String, _ body: () throws(SystemError) -> Void) throws(LogFailure) {
        do throws(SystemError) {
            try body()
        } catch {
            throw LogFailure(operation: operation, message: "\(error)")
        }
    }
}

/// A snapshot of the tables in a file.
final class ViewFileSnapshot: ViewSnapshot {
    let position: Position
    let shape: String
    private let database: Database

    init(_ path: String) throws(LogFailure) {
        let database = try storing("read the views") { () throws(SQLiteError) in
            let database = try Database(path: path, mode: .reader)
            try database.execute("BEGIN")
            return database
        }
        self.database = database
        let row = try storing("read the views") { () throws(SQLiteError) in
            try database.query("SELECT position, shape FROM view_position").first
        }
        guard case .integer(let position)? = row?.first, case .text(let shape)? = row?.last else {
            throw LogFailure(operation: "read the views", message: "\(path) holds no views")
        }
        self.position = Position(clamping: position)
        self.shape = shape
    }

    func digests() throws(LogFailure) -> [TableDigest] {
        try storing("digest") { () throws(SQLiteError) in try ViewFile.digests(in: database) }
    }
}
