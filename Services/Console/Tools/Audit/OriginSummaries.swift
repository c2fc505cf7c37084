import EventSourcing
import JSON
import TraceLedger
import Vocabulary
import Wire

/// What the hub holds of each origin, as one walk through it tells: how far, by which chain, and through which lives.
struct OriginSummaries {
    /// The hub's copy of one journal; of several lives the last.
    struct Mirror {
        fileprivate(set) var position: Position = 0
        /// The chain there, made anew from the bytes; nil behind a place where there are none.
        fileprivate(set) var hash: [UInt8]?
        /// What the hub has let go of it.
        fileprivate(set) var empty = PrunedPositions()
        /// Events of it that only the hub holds, because they were left behind when a restored journal was accepted.
        fileprivate(set) var left = 0
        /// Where the hub holds a second life of it that nobody accepted.
        fileprivate(set) var fork: Position?
        /// How far it was mirrored at the position of the hub that is asked for.
        fileprivate(set) var asked: Position = 0
        /// Where lives ended: from which place of the hub on how much of it is kept.
        private var ends: [(hub: Position, kept: Position)] = []

        /// Gives how many events before it are missing: these were let go, if the hub has as many empty places.
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

        /// How many events that leaves behind.
        fileprivate mutating func end(at hub: Position, keeping kept: Position, _ hash: [UInt8]?) -> Int {
            guard kept < position else { return 0 }
            defer { (position, self.hash) = (kept, hash) }
            ends.append((hub, kept))
            return Int(position - kept)
        }

        /// Whether the event at a position, which stands at that place of the hub, is of the last life.
        func keeps(_ position: Position, from hub: Position) -> Bool {
            ends.allSatisfy { hub >= $0.hub || position <= $0.kept }
        }
    }

    /// Where an entry of the hub stands in a journal.
    struct Place {
        let origin: Origin
        let position: Position
    }

    /// Where the hub asked to be witnessed.
    private(set) var witness = Witness()
    /// How far the hub was read, and the epoch it is in.
    private(set) var position: Position = 0
    private var hash: [UInt8] = []
    /// Where the ledger tells last that it was restored; 0 where it never was.
    private(set) var restored: Position = 0
    var epoch: Epoch?
    private var summaries: [Origin: Mirror] = [:]
    /// Places of the hub whose bytes cannot be read, and where these stand: they are mirrored all the same.
    private(set) var unreadable: [Position: Place] = [:]
    /// The hub's first entry, and what tells of the epoch that the hub is in once it was restored.
    private var first: Entry?
    private var told: Set<Epoch> = []
    /// How many of its places are empty, and how many of these belong to no journal yet: to whose next entry they lead.
    private(set) var letGo = 0
    private var unclaimed: Position = 0
    /// Entries of journals that it does not have.
    private var gaps = Findings()
    private let asked: Position?

    /// - Parameter asked: a position of the hub at which each origin's is looked up.
    init(at asked: Position? = nil) {
        self.asked = asked
    }

    /// What the hub holds of an origin; nothing, perhaps.
    subscript(origin: Origin) -> Mirror { summaries[origin] ?? Mirror() }

    /// Where to read on; nil at the beginning.
    var checkpoint: Checkpoint? { epoch.map { Checkpoint(epoch: $0, position: position, hash: hash) } }

    /// The next entry of the hub. `log` gives where the log says that an entry stands whose bytes do not.
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
            summaries[envelope.origin]?.empty.explain(try JournalPruned(json: data), toldAt: envelope.position)
        case FollowAccepted.name where envelope.origin.service == TraceLedger.name:
            let accepted = try FollowAccepted(json: data)
            guard let origin = Origin(accepted.feed), let hash = Hex.decode(accepted.keptHash) else { return }
            let left = summaries[origin]?.end(at: entry.position, keeping: accepted.keptTo, hash) ?? 0
            summaries[origin]?.left += left
        default: return
        }
    }

    /// Empty places of the hub are those of a journal's events that are missing before its next one.
    private mutating func claim(_ missing: Position, before place: Place) {
        guard missing > 0 else { return }
        let first = place.position - missing
        guard missing <= unclaimed else {
            return gaps.add("\(place.origin) has no entries \(first)–\(place.position - 1) in it")
        }
        unclaimed -= missing
        for position in first..<place.position { summaries[place.origin]?.empty.add(position) }
    }

    /// What was read last may be explained by what comes next.
    var isWaiting: Bool { unclaimed > 0 || summaries.values.contains { $0.empty.isWaiting } }

    /// An epoch that nothing tells of would make strangers of those who have witnessed the hub.
    ///
    /// The hub's chain begins with the first one. A restore begins another, which is that of the ledger's journal from
    /// then on; after one by an older build, whoever took in what came then has written down which it is.
    private var strangeEpoch: String? {
        guard let epoch, let first else { return nil }
        let start = Chain.start(feed: "hub", epoch: epoch)
        let isTold =
            witness.wasRestored
            ? told.contains(epoch) : first.isPruned || Chain.next(after: start, first.bytes) == first.hash
        return isTold ? nil : "it is in epoch \(epoch), and nothing tells how that began"
    }

    /// What is wrong with the hub's epoch, and with what it has pruned.
    var flaws: Findings {
        var flaws = Findings([strangeEpoch].compactMap { $0 })
        flaws.add(gaps)
        for (origin, mirror) in summaries.sorted(by: { $0.key < $1.key }) {
            for flaw in mirror.empty.flaws(of: origin.description) { flaws.add(flaw) }
        }
        if gaps.isEmpty, unclaimed > 0 {
            flaws.add("\(unclaimed) of its places are empty that belong to no journal")
        }
        return flaws
    }
}
