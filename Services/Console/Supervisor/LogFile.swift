import JSON
import System

/// The file that a process of the farm server writes its log to, one JSON line a message.
struct LogFile {
    let path: String

    /// Where a full file goes; of each log one older part is kept.
    var older: String { "\(path).1" }

    static let bytes = 16 << 20
    private static let endBytes = 65_536

    init(_ path: String) {
        self.path = path
    }

    /// What the process gave as its reason when it last ended by itself.
    var lastReason: String? {
        let lines: [ArraySlice<UInt8>]
        do {
            lines = try File.readEnd(path, limit: Self.endBytes).split(separator: 10)
        } catch {
            // It never said anything.
            return nil
        }
        for line in lines.reversed() {
            do {
                let told = try JSONValue.parse(Array(line))
                if let reason: String = try told.find("reason") { return reason }
            } catch {
                // The database's lines are no JSON, and the first one may be cut.
            }
        }
        return nil
    }

    /// Sets a full file aside and begins anew; whoever writes goes on without noticing, for it appends.
    func turnOver() throws {
        guard File.exists(path), try File.size(path) > Self.bytes else { return }
        try File.writeAtomically(older, File.readEnd(path, limit: 2 * Self.bytes), mode: 0o640)
        try File.empty(path)
    }
}
