import EventSourcing
import JSON
import TraceLedger
import Vocabulary
import Wire

/// The state of the hub's copy of each origin, from one pass through the hub: its end, its chain and its histories.
struct OriginSummaries {
    /// The hub's copy of one journal; of several histories, the last.
    struct Mirror {
        fileprivate(set) var position: Position = 0
        /// The chain at its end, recomputed from the bytes; nil after a position without bytes.
        fileprivate(set) var hash: [UInt8]?
        /// The positions that the hub has pruned.
        fileprivate(set) var empty = PrunedPositions()
        /// Events that only the hub has, because a restored journal without them was accepted.
        fileprivate(set) var left = 0
        /// The position from which the hub has a second history that was not accepted.
        fileprivate(set) var fork: Position?
        /// The position up to which it was mirrored at the requested position of the hub.
        fileprivate(set) var asked: Position = 0
        /// The ends of histories: the hub position of each end, and the last position that stays valid.
        private var ends: [(hub: Position, kept: Position)] = []

        /// Adds an entry. Returns the number of missing events before it, which are pruned if the hub has as many empty
        /// positions.
        fileprivate mutating func add(_ place: Place, in epoch: Epoch, _ entry: Entry) -> Position {
            if place.position <= position {
                fork = fork ?? place.position
                _ = end(at: entry.position, keeping: place.position - 1, hash)
            }
            if position == 0 { hash = Chain.start(feed: place.origin.description, epoch: epoch) }
            let missing = place.position - position - 1
            if missing > 0 { hash = nil }
            hash = hash.map { Chain.next(after: $0, entry.bytes) }
            position = place.position
            return missing
        }

        /// Ends a history after position `kept`. Returns the number of events that this leaves behind.
        fileprivate mutating func end(at hub: Position, keeping kept: Position, _ hash: [UInt8]?) -> Int {
            guard kept < position else { return 0 }
            defer { (position, self.hash) = (kept, hash) }
            ends.append((hub, kept))
            return Int(position - kept)
        }

        /// Returns whether the event at `position` of the journal and `hub` of the hub belongs to the last history.
        func keeps(_ position: Position, from hub: Position) -> Bool {
            ends.allSatisfy { hub >= $0.hub || position <= $0.kept }
        }
    }

    /// The origin and position of a hub entry.
    struct Place {
        let origin: Origin
        let position: Position
    }

    /// The hub's requests to be witnessed.
    private(set) var witness = Witness()
    /// The last position that was read.
    private(set) var position: Position = 0
    private var hash: [UInt8] = []
    /// The hub position at which the ledger last recorded a restore; 0 if it never did.
    private(set) var restored: Position = 0
    var epoch: Epoch?
    private var summaries: [Origin: Mirror] = [:]
    /// Hub positions whose bytes cannot be read, with their origin and position. Such entries are mirrored, too.
    private(set) var unreadable: [Position: Place] = [:]
    /// The hub's first entry.
    private var first: Entry?
    /// The epochs that events of the hub name since its last restore.
    private var told: Set<Epoch> = []
    /// The number of pruned hub entries.
    private(set) var letGo = 0
    /// How many of these belong to no journal yet: the next entry of their journal claims them.
    private var unclaimed: Position = 0
    /// Journal entries that the hub does not have.
    private var gaps = Findings()
    private let asked: Position?

    /// - Parameter asked: a position of the hub at which each origin's position is recorded.
    init(at asked: Position? = nil) {
        self.asked = asked
    }

    /// The hub's copy of an origin; an empty one if it has none.
    subscript(origin: Origin) -> Mirror { summaries[origin] ?? Mirror() }

    /// The checkpoint from which to continue reading; nil at the beginning.
    var checkpoint: Checkpoint? { epoch.map { Checkpoint(epoch: $0, position: position, hash: hash) } }

    /// Adds the next entry of the hub. `log` returns the log's record of an entry whose bytes cannot be read.
    mutating func add(_ entry: Entry, asking log: (Position) throws -> LedgerEntry? = { _ in nil }) throws {
        (position, hash) = (entry.position, entry.hash)
        if entry.position == 1 { first = entry }
        guard !entry.isPruned else {
            letGo += 1
            unclaimed += 1
            return
        }
        guard let (envelope, data) = Self.read(entry) else {
            guard let told = try log(entry.position), let origin = Origin(told.origin) else {
                unclaimed += 1
                return
            }
            let place = Place(origin: origin, position: told.position)
            unreadable[entry.position] = place
            return add(entry, at: place, in: told.epoch)
        }
        let place = Place(origin: envelope.origin, position: envelope.position)
        add(entry, at: place, in: envelope.epoch)
        do throws(JSONError) {
            try learn(from: envelope, data, entry)
        } catch {
            unreadable[entry.position] = place
        }
    }

    private static func read(_ entry: Entry) -> (Envelope, JSONValue)? {
        do throws(JSONError) {
            return try EnvelopeCodec.read(entry.bytes)
        } catch {
            return nil
        }
    }

    private mutating func add(_ entry: Entry, at place: Place, in epoch: Epoch) {
        claim(summaries[place.origin, default: Mirror()].add(place, in: epoch, entry), before: place)
        if let asked, entry.position <= asked { summaries[place.origin]?.asked = place.position }
    }

    private mutating func learn(
        from envelope: Envelope, _ data: JSONValue, _ entry: Entry
    ) throws(JSONError) {
        switch envelope.name {
        case WitnessRequested.name: witness.add(entry)
        case EpochBegan.name where envelope.origin.service == TraceLedger.name:
            guard try EpochBegan(json: data).previous != nil else { return }
            restored = entry.position
            witness.restored(at: entry.position, in: envelope.epoch)
            told = [envelope.epoch]
        case FeedConsumed.name:
            let intake = try FeedConsumed(json: data)
            if intake.feed == "hub" { told.insert(intake.epoch) }
        case JournalPruned.name:
            summaries[envelope.origin]?.empty.explain(try JournalPruned(json: data), recordedAt: envelope.position)
        case FollowAccepted.name where envelope.origin.service == TraceLedger.name:
            let accepted = try FollowAccepted(json: data)
            guard let origin = Origin(accepted.feed), let hash = Hex.decode(accepted.keptHash) else { return }
            let left = summaries[origin]?.end(at: entry.position, keeping: accepted.keptTo, hash) ?? 0
            summaries[origin]?.left += left
        default: return
        }
    }

    /// Assigns empty positions of the hub to the events that are missing before a journal's next entry.
    private mutating func claim(_ missing: Position, before place: Place) {
        guard missing > 0 else { return }
        let first = place.position - missing
        guard missing <= unclaimed else {
            return gaps.add("\(place.origin) has no entries \(first)–\(place.position - 1) in it")
        }
        unclaimed -= missing
        for position in first..<place.position { summaries[place.origin]?.empty.add(position) }
    }

    /// Whether a later entry may explain what was read last.
    var isWaiting: Bool { unclaimed > 0 || summaries.values.contains { $0.empty.isWaiting } }

    /// Returns a finding if no event records how the hub's epoch began, because witnesses would not recognise such an
    /// epoch.
    ///
    /// The hub's chain begins with its first epoch. A restore begins another one, which is that of the ledger's journal
    /// from then on. After a restore by an older build, the checkpoint events of later consumers name it.
    private var strangeEpoch: String? {
        guard let epoch, let first else { return nil }
        let start = Chain.start(feed: "hub", epoch: epoch)
        let isTold =
            witness.wasRestored
            ? told.contains(epoch) : first.isPruned || Chain.next(after: start, first.bytes) == first.hash
        return isTold ? nil : "it is in epoch \(epoch), and no event records how it began"
    }

    /// The findings about the hub's epoch and its pruned positions.
    var flaws: Findings {
        var flaws = Findings([strangeEpoch].compactMap { $0 })
        flaws.add(gaps)
        for (origin, mirror) in summaries.sorted(by: { $0.key < $1.key }) {
            for flaw in mirror.empty.flaws(of: origin.description) { flaws.add(flaw) }
        }
        if gaps.isEmpty, unclaimed > 0 {
            flaws.add("\(unclaimed) of its empty positions belong to no journal")
        }
        return flaws
    }
}
