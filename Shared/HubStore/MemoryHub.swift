public import EventSourcing
public import EventStore
public import Vocabulary
import Wire

/// The hub in memory, for tests and simulations: the same rules, without a disk or a Merkle tree.
///
/// Committed entries outlive it, so that `crash()` can continue from them like a restarted process.
public final class MemoryHub: MirrorLog {
    private var own: MemoryLog
    private let order: MemoryJournal
    private var mirrors: [String: MemoryJournal]
    /// The hub positions of each feed's entries.
    private var places: [String: [Position]]
    private var staged: [Staged] = []
    private var pruned: [(feed: String, positions: [Position])] = []
    private var fresh: [String: HubFeed]

    /// An event with its position at its origin, before the commit that gives it a hub position.
    private struct Staged {
        let feed: String
        let event: HubEvent
    }

    /// Creates a hub of the ledger with the origin `feed`.
    public init(feed: String, why: String, at now: Instant, chance: RandomSource = .system) throws(LogFailure) {
        own = try MemoryLog(feed: feed, why: why, at: now, chance: chance)
        let epoch = own.head.epoch
        let start = Chain.start(feed: HubSchema.feed, epoch: epoch)
        order = MemoryJournal(start: start, head: Head(feed: HubSchema.feed, epoch: epoch, position: 0, hash: start))
        mirrors = [:]
        places = [:]
        fresh = [:]
        // The log has already committed its first entry.
        for entry in try own.reader().read(from: 1, events: 1, bytes: .max) { stage(entry, of: feed) }
        place()
    }

    private init(after crashed: MemoryHub, chance: RandomSource) throws(LogFailure) {
        own = try crashed.own.crash(chance: chance)
        order = crashed.order
        mirrors = crashed.mirrors
        places = crashed.places
        fresh = mirrors.mapValues { journal in
            let head = journal.head
            return HubFeed(number: 0, name: head.feed, epoch: head.epoch, position: head.position, hash: head.hash)
        }
    }

    /// Ends the process. This hub accepts nothing more; the returned one has only what was committed.
    public func crash(chance: RandomSource = .system) throws(LogFailure) -> MemoryHub {
        try MemoryHub(after: self, chance: chance)
    }

    public var head: Head { own.head }
    public var hubHead: Head { order.head }

    public func feeds() -> [Head] { fresh.values.map(\.head).sorted { $0.feed < $1.feed } }

    public func version(of stream: String) throws(LogFailure) -> Int { try own.version(of: stream) }

    public func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup { try own.recall(key) }

    public func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [EventSourcing.Staged] {
        let outcome = try own.stage(commit, at: now)
        for case .written(let entry, _) in outcome { stage(entry, of: own.head.feed) }
        return outcome
    }

    public func take(_ page: Page) throws(MirrorRefusal) {
        guard let origin = Origin(own.head.feed) else { return }
        let known = fresh[page.head.feed]
        for event in try MirrorAdmission.fresh(in: page, after: known, own: origin) { stage(event, of: page.head.feed) }
    }

    /// Stages the prune for the next commit. Throws unless the feed is mirrored that far.
    public func prune(_ feed: String, _ positions: [Position]) throws(LogFailure) {
        guard feed != own.head.feed, let last = positions.max(), last <= fresh[feed]?.position ?? 0 else {
            throw LogFailure(operation: "prune", message: "\(feed) is not mirrored that far")
        }
        pruned.append((feed, positions))
    }

    public func commit() throws(LogFailure) {
        try own.commit()
        place()
        for (feed, positions) in pruned {
            mirrors[feed]?.prune(positions)
            order.prune(positions.compactMap { places[feed]?[Int($0) - 1] })
        }
        pruned.removeAll(keepingCapacity: true)
    }

    /// Begins a new epoch of the ledger's journal and of the hub, like ``HubLog``.
    public func beginEpoch(why: String, at now: Instant, resettingTime: Bool = false) throws(LogFailure) {
        try commit()
        try own.beginEpoch(why: why, at: now, resettingTime: resettingTime)
        // The log has already committed the entry.
        for entry in try own.reader().read(from: own.head.position, events: 1, bytes: .max) {
            stage(entry, of: own.head.feed)
        }
        place(in: own.head.epoch)
    }

    /// Makes the next commit that has something to write fail with `failure`, without committing it.
    public func fail(atCommit failure: LogFailure) { own.fail(atCommit: failure) }

    public func reader() throws(LogFailure) -> any LogReader { try own.reader() }
    public func hubReader() throws(LogFailure) -> any LogReader { MemoryReader(order) }

    public func originReader(_ feed: String) throws(LogFailure) -> any MirrorReader {
        guard let journal = mirrors[feed] else {
            throw LogFailure(operation: "read", message: "nothing of \(feed) is mirrored")
        }
        return MemoryReader(journal)
    }

    /// Always throws, because journals in memory are never restored from a backup.
    public func accept(_ feed: String, keptTo position: Position, hash: [UInt8]) throws(MirrorRefusal) {
        throw .failed(LogFailure(operation: "accept", message: "a hub in memory mirrors only one history of \(feed)"))
    }

    private func stage(_ entry: Entry, of feed: String) {
        stage(MirrorAdmission.event(entry, of: own.head), of: feed)
    }

    private func stage(_ event: HubEvent, of feed: String) {
        staged.append(Staged(feed: feed, event: event))
        fresh[feed] = HubFeed(
            number: 0, name: feed, epoch: event.epoch, position: event.entry.position, hash: event.entry.hash)
    }

    /// Assigns hub positions to the staged events and commits them.
    private func place(in epoch: Epoch? = nil) {
        var head = order.head
        if let epoch { head = Head(feed: head.feed, epoch: epoch, position: head.position, hash: head.hash) }
        var entries: [Entry] = []
        for staged in staged {
            let event = staged.event
            let hash = Chain.next(after: head.hash, event.content)
            head = Head(feed: head.feed, epoch: head.epoch, position: head.position + 1, hash: hash)
            entries.append(Entry(position: head.position, hash: hash, bytes: event.entry.bytes))
            let mirror = mirrors[staged.feed] ?? Self.empty(staged.feed, event.epoch)
            mirrors[staged.feed] = mirror
            places[staged.feed, default: []].append(head.position)
            mirror.keep(
                [event.entry], ids: [event.id],
                head: Head(
                    feed: staged.feed, epoch: event.epoch, position: event.entry.position, hash: event.entry.hash))
        }
        order.keep(entries, ids: staged.map(\.event.id), head: head)
        staged.removeAll(keepingCapacity: true)
    }

    private static func empty(_ feed: String, _ epoch: Epoch) -> MemoryJournal {
        let start = Chain.start(feed: feed, epoch: epoch)
        return MemoryJournal(start: start, head: Head(feed: feed, epoch: epoch, position: 0, hash: start))
    }
}
