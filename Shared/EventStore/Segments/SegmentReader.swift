import Crypto
import EventSourcing
import SQLite
import System
import Wire

/// Reads sealed entries from the segments that the journal's file names, one block at a time.
///
/// The last segment and block are cached.
final class SegmentReader {
    private let folder: SegmentDirectory
    private let find: Statement
    private let findLast: Statement
    private let findAll: Statement
    private var open: Segment?
    private var block: [Entry] = []
    /// The last sealed position as of the last ``look()``.
    private(set) var last: Position = 0

    /// - Parameter path: the path of the journal's file.
    init(_ database: Database, ofJournal path: String) throws(SQLiteError) {
        folder = SegmentDirectory(ofJournal: path)
        find = try database.prepare(
            "SELECT first, last, hash, digest FROM segment WHERE first <= ? ORDER BY first DESC LIMIT 1")
        findLast = try database.prepare("SELECT last FROM segment ORDER BY first DESC LIMIT 1")
        findAll = try database.prepare("SELECT first, last FROM segment ORDER BY first")
        try look()
    }

    /// Returns the position ranges of all segments, oldest first.
    func list() throws(SQLiteError) -> [ClosedRange<Position>] {
        defer { findAll.reset() }
        var runs: [ClosedRange<Position>] = []
        while try findAll.step() {
            let (first, last) = (Position(clamping: findAll.integer(0)), Position(clamping: findAll.integer(1)))
            if first <= last { runs.append(first...last) }
        }
        return runs
    }

    /// Returns whether the file of a run is missing, or is not the one that the journal names.
    func isStrange(_ run: ClosedRange<Position>) throws(LogFailure) -> Bool {
        do throws(LogFailure) {
            return try segment(holding: run.lowerBound).head.positions != run
        } catch {
            guard !error.isAway else { throw error }
            return true
        }
    }

    /// Reads the last sealed position from the journal.
    func look() throws(SQLiteError) {
        defer { findLast.reset() }
        if try findLast.step() { last = Position(clamping: findLast.integer(0)) }
    }

    /// Returns the sealed entries from a position to the end of their block; none if the position is not sealed.
    func entries(from position: Position) throws(LogFailure) -> ArraySlice<Entry> {
        guard position > 0, position <= last else { return [] }
        do throws(LogFailure) {
            return try read(from: position)
        } catch {
            // Pruning may have replaced the file since it was opened.
            (open, block) = (nil, [])
            return try read(from: position)
        }
    }

    private func read(from position: Position) throws(LogFailure) -> ArraySlice<Entry> {
        if block.first.map({ $0.position <= position }) != true || block.last.map({ $0.position >= position }) != true {
            let segment = try segment(holding: position)
            guard let number = segment.block(holding: position) else { return [] }
            block = try segment.entries(inBlock: number)
        }
        guard let first = block.first?.position else { return [] }
        return block[Int(position - first)...]
    }

    private func segment(holding position: Position) throws(LogFailure) -> Segment {
        if let open, open.head.positions.contains(position) { return open }
        let row = try storing("find a segment") { () throws(SQLiteError) -> Row? in
            defer { find.reset() }
            try find.bind(1, Int64(clamping: position))
            guard try find.step() else { return nil }
            return Row(
                first: Position(clamping: find.integer(0)), last: Position(clamping: find.integer(1)),
                hash: find.blob(2), digest: find.blob(3))
        }
        guard let row, row.first <= position, position <= row.last else {
            throw LogFailure(operation: "read a segment", message: "no segment holds \(position)")
        }
        let segment = try Self.segment(row, in: folder)
        open = segment
        return segment
    }

    /// Returns the file that the journal names. During a prune that is the sealed file or the pruned one beside it.
    private static func segment(_ row: Row, in folder: SegmentDirectory) throws(LogFailure) -> Segment {
        let positions = row.first...row.last
        let paths = [folder.file(of: positions), folder.prunedFile(of: positions)].filter(File.exists)
        var failure: LogFailure?
        for path in paths {
            do throws(LogFailure) {
                let segment = try Segment(path: path)
                // The segment may be valid and still not be the one that this journal sealed.
                if SHA256.hash(segment.note) == row.digest, segment.head.after == row.hash { return segment }
            } catch {
                failure = failure ?? error
            }
        }
        let name = SegmentDirectory.name(of: positions)
        guard let failure else {
            throw LogFailure(
                operation: "read a segment",
                message: paths.isEmpty ? "\(name) is missing" : "\(name) is not the one that this journal sealed")
        }
        throw LogFailure(
            operation: failure.operation, message: "\(name): \(failure.message)", isAway: failure.isAway)
    }

    private struct Row {
        let first: Position
        let last: Position
        let hash: [UInt8]
        let digest: [UInt8]
    }
}
