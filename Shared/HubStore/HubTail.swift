import EventSourcing
import EventStore
import Postgres
import Vocabulary
import Wire

/// The verified end of the hub's tables, from which a writer continues.
struct HubTail {
    private let origin: Origin
    private let recorded: Instant
    private let own: HubFeed
    private let feeds: [HubFeed]
    private let head: Head
    private let tree: MerkleTiles

    /// Reads and verifies the end of the hub.
    ///
    /// Throws unless it belongs to `origin`, its last entries continue both chains, and its tree is the one of the last
    /// checkpoint.
    init(_ connection: Connection, of origin: Origin) throws(LogFailure) {
        let meta = try HubMeta(connection)
        guard meta.origin == origin.description else {
            throw LogFailure(operation: "open", message: "it is the hub of \(meta.origin), not of \(origin)")
        }
        self.origin = origin
        feeds = try Self.feeds(connection)
        guard let own = feeds.first(where: { $0.number == HubSchema.ownFeed }), own.name == origin.description else {
            throw LogFailure(operation: "open", message: "the hub has no journal of its ledger")
        }
        self.own = own
        let ownFirst = try Self.firstEpoch(connection)
        let ownStart = Chain.start(feed: own.name, epoch: ownFirst)
        let (entries, ground) = try Self.last(
            "pos, originhash, bytes FROM hub.entry WHERE origin = \(HubSchema.ownFeed) ORDER BY pos", connection,
            ownStart)
        recorded = try JournalFormat.verify(
            entries, after: ground.hash, at: ground.position, origin: origin, epoch: own.epoch)
        let hubStart = Chain.start(feed: HubSchema.feed, epoch: meta.firstEpoch)
        let (hubEntries, hubGround) = try Self.last(
            "hubpos, hash, bytes FROM hub.entry ORDER BY hubpos", connection, hubStart)
        if let broken = Chain.firstBreak(in: hubEntries, after: hubGround.hash, at: hubGround.position) {
            throw LogFailure(operation: "open", message: "the hub's chain is broken at \(broken)")
        }
        let last = hubEntries.last ?? hubGround
        guard let ownLast = entries.last, ownLast.position == own.position, ownLast.hash == own.hash else {
            throw LogFailure(operation: "open", message: "the journal does not end at the stored head of its feed")
        }
        head = Head(feed: HubSchema.feed, epoch: meta.epoch, position: last.position, hash: last.hash)
        tree = try Self.tree(size: last.position, connection)
    }

    /// Returns stagings that continue the ledger's own journal and the hub.
    func staged(chance: RandomSource) -> (Staging, HubStaging) {
        let staging = Staging(
            origin: origin, epoch: own.epoch, position: own.position, hash: own.hash, recorded: recorded,
            chance: chance)
        let hub = HubStaging(
            epoch: head.epoch, position: head.position, hash: head.hash, tree: tree, feeds: feeds, salts: chance)
        return (staging, hub)
    }

    /// Returns the mirrored head of every origin, as stored.
    static func feeds(_ connection: Connection) throws(LogFailure) -> [HubFeed] {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT origin, name, epoch, pos, hash FROM hub.feed")
        }
        var feeds: [HubFeed] = []
        for row in rows {
            guard row.count == 5, case .integer(let number) = row[0], case .text(let name) = row[1],
                case .integer(let epoch) = row[2], case .integer(let position) = row[3], case .bytes(let hash) = row[4]
            else { throw LogFailure(operation: "open", message: "a feed is malformed") }
            feeds.append(
                HubFeed(
                    number: Int(number), name: PostgresText.unescape(name), epoch: Epoch(UInt64(bitPattern: epoch)),
                    position: Position(clamping: position), hash: hash))
        }
        return feeds
    }

    private static func firstEpoch(_ connection: Connection) throws(LogFailure) -> Epoch {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT epoch FROM hub.entry WHERE hubpos = 1")
        }
        guard case .integer(let epoch)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "the hub has no first entry")
        }
        return Epoch(UInt64(bitPattern: epoch))
    }

    /// Returns the last entries of a chain in order, and the entry before them, whose hash they continue.
    private static func last(
        _ selection: String, _ connection: Connection, _ start: [UInt8]
    ) throws(LogFailure) -> (entries: [Entry], ground: Entry) {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT \(selection) DESC LIMIT \(StoreLimits.entriesVerified + 1)")
        }
        var entries = try rows.reversed().map { row throws(LogFailure) in try Entry(row) }
        var ground = Entry(position: 0, hash: start, bytes: [])
        if let first = entries.first, first.position > 1 {
            ground = first
            entries.removeFirst()
        }
        return (entries, ground)
    }

    /// Returns the tree over all entries. Throws unless it contains the tree of the last checkpoint.
    private static func tree(size: UInt64, _ connection: Connection) throws(LogFailure) -> MerkleTiles {
        let log = TransparencyLogReader { (sql, values) throws(LogFailure) in
            try asking("open") { () throws(PostgresError) in try connection.query(sql, values) }
        }
        guard let tree = try MerkleTiles(size: size, tiles: log.tile) else {
            throw LogFailure(operation: "open", message: "tiles of the Merkle tree are missing")
        }
        if let checkpoint = try log.latestCheckpoint() {
            let root = checkpoint.size <= size ? try log.root(size: checkpoint.size) : nil
            guard root == checkpoint.root else {
                throw LogFailure(
                    operation: "open", message: "the hub is not the one of its last checkpoint, size \(checkpoint.size)"
                )
            }
        }
        return tree
    }
}

extension Entry {
    /// Decodes position, hash and bytes from the first three columns of a row.
    init(_ row: [PGValue]) throws(LogFailure) {
        guard row.count >= 3, case .integer(let position) = row[0], case .bytes(let hash) = row[1],
            case .bytes(let bytes) = row[2]
        else { throw LogFailure(operation: "read entries", message: "an entry is malformed") }
        self.init(position: Position(clamping: position), hash: hash, bytes: bytes)
    }
}
