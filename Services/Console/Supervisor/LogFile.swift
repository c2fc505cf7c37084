import JSON
import System

/// The file that a process of the farm server writes its log to, one JSON line a message.
struct LogFile {
    let path: String

    /// The path of the previous log file; one is retained per log.
    var older: String { "\(path).1" }

    static let bytes = 16 << 20
    private static let endBytes = 65_536

    init(_ path: String) {
        self.path = path
    }

    /// The reason in the newest log line that has one: why the process last ended by itself.
    var lastReason: String? {
        let lines: [ArraySlice<UInt8>]
        do {
            lines = try File.readEnd(path, limit: Self.endBytes).split(separator: 10)
        } catch {
            // It has never logged anything.
            return nil
        }
        for line in lines.reversed() {
            do {
                let told = try JSONValue.parse(Array(line))
                if let reason: String = try told.find("reason") { return reason }
            } catch {
                // The database's lines are not JSON, and the first line may be cut.
            }
        }
        return nil
    }

    /// Moves a full file's content to the older one and empties it.
    ///
    /// Writers continue without interruption, because they append.
    func turnOver() throws {
        guard File.exists(path), try File.size(path) > Self.bytes else { return }
        try File.writeAtomically(older, File.readEnd(path, limit: 2 * Self.bytes), mode: 0o640)
        try File.empty(path)
    }
}
