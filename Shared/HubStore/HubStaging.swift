import EventSourcing
import EventStore
import Postgres
import Vocabulary
import Wire

/// An event that is to be appended to the hub.
struct HubEvent: Sendable {
    let id: UUID
    /// The epoch of its origin's journal.
    let epoch: Epoch
    /// Position, chain hash and bytes at its origin.
    let entry: Entry

    /// The bytes that the hub's chain and tree cover: the event's, or the hash of one that was pruned before it was
    /// mirrored.
    var content: [UInt8] { entry.isPruned ? entry.hash : entry.bytes }
}

/// The staged, uncommitted end of the hub. It gives each event its hub position, chain hash, salt and tree leaf.
struct HubStaging {
    private(set) var epoch: Epoch
    private(set) var position: Position
    private(set) var hash: [UInt8]
    private(set) var tree: MerkleTiles
    private(set) var feeds: [BinaryString: HubFeed]
    /// The rows to insert in `hub.entry`, in order.
    private(set) var rows: [[PGValue]] = []
    /// The bytes of the events in `rows`.
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

    /// Whether nothing is staged.
    var isEmpty: Bool { rows.isEmpty && changedFeeds.isEmpty }

    var head: Head { Head(feed: HubSchema.feed, epoch: epoch, position: position, hash: hash) }

    func feed(_ name: String) -> HubFeed? { feeds[BinaryString(name)] }

    /// Stages events of a feed. Requires them to follow its mirrored head without a gap.
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

    /// Moves a feed's head back to an earlier position. The entries after it remain in the hub, outside the feed.
    mutating func rewind(_ name: String, to position: Position, hash: [UInt8]) {
        let key = BinaryString(name)
        feeds[key]?.position = position
        feeds[key]?.hash = hash
        changedFeeds.insert(key)
    }

    mutating func begin(_ epoch: Epoch) {
        self.epoch = epoch
    }

    /// Returns the staged rows and drops them, because the caller writes them to the open transaction.
    mutating func takeRows() -> [[PGValue]] {
        defer {
            rows.removeAll(keepingCapacity: true)
            bytes = 0
        }
        return rows
    }

    /// Returns the statements for changed tiles and feeds, which the caller must run before the commit.
    mutating func takeCalls() -> [PostgresCall] {
        // The incomplete last tile of level 0 is computed from the last entries, so a small commit writes no tile.
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
    /// Converts an epoch to `bigint`, bit for bit.
    static func epoch(_ epoch: Epoch) -> PGValue { .integer(Int64(bitPattern: epoch.value)) }
}
