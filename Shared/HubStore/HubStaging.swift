import EventSourcing
import EventStore
import Postgres
import Vocabulary
import Wire

/// One event on its way into the hub.
struct HubEvent: Sendable {
    let id: UUID
    /// The epoch in which its origin wrote it.
    let epoch: Epoch
    /// Place, chain and bytes at its origin.
    let entry: Entry

    /// What the hub's chain and tree hold of it: its bytes, or of an event that was let go before it came its hash.
    var content: [UInt8] { entry.isPruned ? entry.hash : entry.bytes }
}

/// What goes into the hub with the next commit: gives every event its hub position, chain, salt and leaf.
struct HubStaging {
    private(set) var epoch: Epoch
    private(set) var position: Position
    private(set) var hash: [UInt8]
    private(set) var tree: MerkleTiles
    private(set) var feeds: [BinaryString: HubFeed]
    /// Rows of `hub.entry`, in order.
    private(set) var rows: [[PGValue]] = []
    /// Bytes of the events in `rows`.
    private(set) var bytes = 0
    private(set) var changedFeeds: Set<BinaryString> = []
    private var salts: RandomSource

    init(epoch: Epoch, position: Position, hash: [UInt8], tree: MerkleTiles, feeds: [HubFeed], salts: RandomSource) {
        self.epoch = epoch
        self.position = position
        self.hash = hash
        self.tree = tree
        self.feeds = Dictionary(feeds.map { (BinaryString($0.name), $0) }, uniquingKeysWith: { $1 })
        self.salts = salts
    }

    /// Nothing waits for a commit.
    var isEmpty: Bool { rows.isEmpty && changedFeeds.isEmpty }

    var head: Head { Head(feed: HubSchema.feed, epoch: epoch, position: position, hash: hash) }

    func feed(_ name: String) -> HubFeed? { feeds[BinaryString(name)] }

    /// Appends events of a feed, each right behind the one before it.
    mutating func add(_ events: some Collection<HubEvent>, of name: String) {
        guard let first = events.first else { return }
        let key = BinaryString(name)
        var feed =
            feeds[key]
            ?? HubFeed(number: feeds.count + 1, name: name, epoch: first.epoch, position: 0, hash: first.entry.hash)
        for event in events {
            add(event, of: feed)
            feed.epoch = event.epoch
            feed.position = event.entry.position
            feed.hash = event.entry.hash
        }
        feeds[key] = feed
        changedFeeds.insert(key)
    }

    private mutating func add(_ event: HubEvent, of feed: HubFeed) {
        let salt = Array(salts.bytes(LedgerEntry.saltBytes))
        position += 1
        hash = Chain.next(after: hash, event.content)
        let entry = LedgerEntry(
            hub: position, origin: feed.name, epoch: event.epoch, position: event.entry.position,
            commitment: LedgerEntry.commitment(salt: salt, event: event.content))
        tree.append(leaf: entry.leaf)
        rows.append([
            .integer(Int64(clamping: position)), .integer(Int64(feed.number)), .epoch(event.epoch),
            .integer(Int64(clamping: event.entry.position)), .bytes(event.id.bytes), .bytes(event.entry.hash),
            .bytes(hash), .bytes(salt), .bytes(event.entry.bytes),
            event.entry.isPruned ? .bytes(entry.commitment) : .null,
        ])
        bytes += event.entry.bytes.count
    }

    /// Following the feed goes on from an earlier place: what is mirrored behind it stays, but is no part of it.
    mutating func rewind(_ name: String, to position: Position, hash: [UInt8]) {
        let key = BinaryString(name)
        feeds[key]?.position = position
        feeds[key]?.hash = hash
        changedFeeds.insert(key)
    }

    mutating func begin(_ epoch: Epoch) {
        self.epoch = epoch
    }

    /// The rows were written, though not committed.
    mutating func takeRows() -> [[PGValue]] {
        defer {
            rows.removeAll(keepingCapacity: true)
            bytes = 0
        }
        return rows
    }

    /// The statements for everything but the rows.
    mutating func takeCalls() -> [PostgresCall] {
        // The right edge of level 0 is what the last entries give, so that a small commit writes no tile at all.
        var calls: [PostgresCall] = tree.takeChanged().filter { $0.level > 0 || $0.isFull }.map { tile in
            (
                HubSchema.upsertTile,
                [.integer(Int64(tile.level)), .integer(Int64(clamping: tile.index)), .bytes(tile.hashes)]
            )
        }
        for key in changedFeeds {
            guard let feed = feeds[key] else { continue }
            calls.append(
                (
                    HubSchema.upsertFeed,
                    [
                        .integer(Int64(feed.number)), .text(PostgresText.escape(feed.name)), .epoch(feed.epoch),
                        .integer(Int64(clamping: feed.position)), .bytes(feed.hash),
                    ]
                ))
        }
        changedFeeds.removeAll(keepingCapacity: true)
        return calls
    }
}

extension PGValue {
    /// An epoch as `bigint`, bit for bit.
    static func epoch(_ epoch: Epoch) -> PGValue { .integer(Int64(bitPattern: epoch.value)) }
}
