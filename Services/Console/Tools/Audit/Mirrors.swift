import EventSourcing
import TraceLedger
import Vocabulary
import Wire

/// What the hub holds of each origin, as one walk through it tells: how far, by which chain, and through which lives.
struct Mirrors {
    /// The hub's copy of one journal; of several lives the last.
    struct Mirror {
        fileprivate(set) var position: Position = 0
        /// The chain there, made anew from the bytes; nil behind a place where there are none.
        fileprivate(set) var hash: [UInt8]?
        /// What the hub has let go of it.
        fileprivate(set) var empty = EmptyPlaces()
        /// Events of it that only the hub holds, because they were left behind when a restored journal was accepted.
        fileprivate(set) var left = 0
        /// Where the hub holds a second life of it that nobody accepted.
        fileprivate(set) var fork: Position?
        /// How far it was mirrored at the position of the hub that is asked for.
        fileprivate(set) var asked: Position = 0
        /// Where lives ended: from which place of the hub on how much of it is kept.
        private var ends: [(hub: Position, kept: Position)] = []

        /// Gives how many events before it are missing: these were let go, if the hub has as many empty places.
        fileprivate mutating func add(_ envelope: Envelope, _ entry: Entry) -> Position {
            if envelope.position <= position {
                fork = fork ?? envelope.position
                _ = end(at: entry.position, keeping: envelope.position - 1, hash)
            }
            if position == 0 { hash = Chain.start(feed: envelope.origin.description, epoch: envelope.epoch) }
            let missing = envelope.position - position - 1
            if missing > 0 { hash = nil }
            hash = hash.map { Chain.next(after: $0, entry.bytes) }
            position = envelope.position
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

    /// Where the hub asked to be witnessed.
    private(set) var witness = Witness()
    /// How far the hub was read, and the epoch it is in.
    private(set) var position: Position = 0
    private var hash: [UInt8] = []
    var epoch: Epoch?
    private var mirrors: [Origin: Mirror] = [:]
    /// How many of its places are empty, and how many of these belong to no journal yet: to whose next entry they lead.
    private(set) var letGo = 0
    private var unclaimed: Position = 0
    /// The first thing about its places that cannot be.
    private var gap: String?
    private let asked: Position?

    /// - Parameter asked: a position of the hub at which each origin's is looked up.
    init(at asked: Position? = nil) {
        self.asked = asked
    }

    /// What the hub holds of an origin; nothing, perhaps.
    subscript(origin: Origin) -> Mirror { mirrors[origin] ?? Mirror() }

    /// Where to read on; nil at the beginning.
    var checkpoint: Checkpoint? { epoch.map { Checkpoint(epoch: $0, position: position, hash: hash) } }

    /// The next entry of the hub.
    mutating func add(_ entry: Entry) throws {
        (position, hash) = (entry.position, entry.hash)
        guard !entry.isPruned else {
            letGo += 1
            unclaimed += 1
            return
        }
        let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
        claim(mirrors[envelope.origin, default: Mirror()].add(envelope, entry), before: envelope)
        if let asked, entry.position <= asked { mirrors[envelope.origin]?.asked = envelope.position }
        switch envelope.name {
        case WitnessAsked.name: witness.add(entry)
        case JournalPruned.name:
            mirrors[envelope.origin]?.empty.explain(try JournalPruned(json: data), toldAt: envelope.position)
        case FollowAccepted.name where envelope.origin.service == TraceLedger.name:
            let accepted = try FollowAccepted(json: data)
            guard let origin = Origin(accepted.feed), let hash = Hex.decode(accepted.keptHash) else { return }
            let left = mirrors[origin]?.end(at: entry.position, keeping: accepted.keptTo, hash) ?? 0
            mirrors[origin]?.left += left
        default: return
        }
    }

    /// Empty places of the hub are those of a journal's events that are missing before its next one.
    private mutating func claim(_ missing: Position, before envelope: Envelope) {
        guard missing > 0, gap == nil else { return }
        let first = envelope.position - missing
        guard missing <= unclaimed else {
            gap = "\(envelope.origin) has no entries \(first)–\(envelope.position - 1) in it"
            return
        }
        unclaimed -= missing
        for position in first..<envelope.position { mirrors[envelope.origin]?.empty.add(position) }
    }

    /// What was read last may be explained by what comes next.
    var isWaiting: Bool { unclaimed > 0 || mirrors.values.contains { $0.empty.isWaiting } }

    /// What is wrong with what the hub has let go.
    var flaw: String? {
        if let gap { return gap }
        for (origin, mirror) in mirrors.sorted(by: { $0.key < $1.key }) {
            if let flaw = mirror.empty.flaw(of: origin.description) { return flaw }
        }
        return unclaimed > 0 ? "\(unclaimed) of its places are empty that belong to no journal" : nil
    }
}
