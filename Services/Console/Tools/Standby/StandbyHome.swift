import Crypto
import EventSourcing
import EventStore
import Host
import HubStore
import JSON
import Postgres
import System
import Vocabulary

/// Makes a complete home out of a standby's database and key: for a promotion, or to be backed up.
struct StandbyHome {
    /// The paths of the home that is made.
    private let target: FarmPaths
    private let key: X25519Key
    private let conninfo: String
    private let connection: Connection

    /// - Parameters:
    ///   - standby: the standby, whose database runs.
    ///   - target: the paths of the home that is made, which is empty.
    init(of standby: FarmPaths, in target: FarmPaths) throws {
        self.target = target
        key = try X25519Key(scalar: try File.read(StandbyFolder(standby).receivingKey, limit: X25519Key.keySize))
        conninfo = try standby.runningDatabase
        connection = try Connection(conninfo)
    }

    /// Writes all files and journals, and returns the number of files.
    ///
    /// - Parameter why: the reason why each journal begins a new epoch; nil if none does.
    func make(_ hub: HubSnapshot, beginningEpochs why: String?) throws -> Int {
        let files = try placeFiles()
        for head in hub.feeds {
            if head.feed == hub.origin { try makeSegments(of: head) } else { try seed(head, why: why) }
        }
        return files
    }

    // MARK: Files

    private func placeFiles() throws -> Int {
        let rows = try connection.query("SELECT name, bytes, parts FROM standby.file ORDER BY name")
        var count = 0
        for row in rows {
            guard case .text(let name) = row[0], case .integer(let bytes) = row[1], case .integer(let parts) = row[2],
                let place = Self.place(of: name)
            else { continue }
            let path = target.path(of: place)
            let folder = try makeFolder(of: path)
            let writer = try FileWriter(path: path)
            var written = 0
            for part in 0..<parts {
                let sealed = try connection.query(
                    "SELECT sealed FROM standby.part WHERE name = $1 AND part = $2", [.text(name), .integer(part)])
                guard case .bytes(let sealed)? = sealed.first?.first else {
                    throw Refusal("A part of \(name) is missing at the standby.")
                }
                let content = try StandbySealing.open(sealed, key)
                try writer.write(content)
                written += content.count
            }
            guard written == bytes else { throw Refusal("\(name) is not complete at the standby.") }
            try writer.synchronize()
            try Directory.synchronize(folder)
            count += 1
        }
        return count
    }

    private func makeFolder(of path: String) throws -> String {
        let folder = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
        try Directory.create(folder, mode: 0o700)
        return folder
    }

    /// Returns where a file belongs in a home; nil for a name that is none of a home's.
    static func place(of name: String) -> String? {
        guard !name.split(separator: "/").contains("..") else { return nil }
        return name.hasPrefix("vault/")
            ? HomeContents.place(of: String(name.dropFirst("vault/".utf8.count)), part: .vault)
            : HomeContents.place(of: name, part: .facts)
    }

    // MARK: Journals

    /// Returns the path of an origin's journal; creates its folder.
    private func journal(of feed: String) throws -> String {
        guard let origin = Origin(feed) else { throw Refusal("\(feed) is no origin.") }
        let path = target.path(of: "\(origin.service)/\(origin.slot)/\(SQLiteLog.fileName)")
        _ = try makeFolder(of: path)
        return path
    }

    /// Makes the segments of the ledger's journal, which is in the hub, that were not received.
    private func makeSegments(of head: Head) throws {
        let reader = try OriginReader(conninfo, feed: head.feed)
        _ = try JournalSeed.makeMissingSegments(
            in: SegmentDirectory(ofJournal: try journal(of: head.feed)), reading: reader, seals: try reader.seals())
    }

    /// Writes the journal of an origin from the hub, with the responses that it had stored.
    private func seed(_ head: Head, why: String?) throws {
        let path = try journal(of: head.feed)
        let reader = try OriginReader(conninfo, feed: head.feed)
        let seals = try reader.seals()
        try writeJournal(path, head, reader, seals: seals)
        let log = try SQLiteLog(
            path: path, feed: head.feed, why: why ?? "copied for a backup", at: AdjustableClock.machine)
        let segments = SegmentDirectory(ofJournal: path)
        for run in try JournalSeed.makeMissingSegments(in: segments, reading: log.reader(), seals: seals) {
            try log.hand(over: run)
            try log.commit()
        }
        if let why { try log.beginEpoch(why: why, at: AdjustableClock.machine) }
        try log.close()
    }

    /// Writes the file of a journal up to where the hub has it.
    private func writeJournal(_ path: String, _ head: Head, _ reader: OriginReader, seals: Int) throws {
        guard let first = try reader.firstEpoch() else { throw Refusal("The hub has no beginning of \(head.feed).") }
        let seed = try JournalSeed(path: path, feed: head.feed, firstEpoch: first, seals: seals)
        var next: Position = 1
        while next <= seed.sealedTo {
            let count = min(Position(Self.page), seed.sealedTo - next + 1)
            try seed.add(sealed: try reader.ids(from: next, count: Int(count)))
            next += count
        }
        while case let entries = try reader.read(
            from: next, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes), let last = entries.last
        {
            try seed.add(entries)
            next = last.position + 1
        }
        for row in try connection.query(
            "SELECT sealed FROM standby.response WHERE origin = $1 ORDER BY last", [.text(head.feed)])
        {
            guard case .bytes(let sealed)? = row.first else { continue }
            try seed.add(try [NumberedResponse](json: JSONValue.parse(try StandbySealing.open(sealed, key))))
        }
        try seed.finish(at: head)
    }

    private static let page = 10_000
}
