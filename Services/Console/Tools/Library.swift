import EventBus
import EventSourcing
import TraceLedger
import Wire

/// The journals of a running farm server as an audit reads them: each once, and on when more is needed.
final class Library {
    private let pull: JournalPull
    private let live: Set<String>
    private var entries: [String: [Entry]] = [:]
    private var epochs: [String: Epoch] = [:]
    private(set) var problems: [String: String] = [:]
    /// What the hub holds of each origin, and how many of its entries were sorted by origin.
    private var mirrors: [String: [Entry]] = [:]
    private var sorted = 0
    /// Lives of origins that ended when the operator accepted a restored journal, oldest first.
    private var lives: [String: [[Entry]]] = [:]
    /// Events of each origin that only the hub holds, because they were left behind so.
    private(set) var left: [String: Int] = [:]
    /// Where the hub holds a second life of an origin that nobody accepted.
    private(set) var forks: [String: Position] = [:]

    /// `live` are the origins whose services run; others are read from the hub's mirror.
    init(_ pull: JournalPull, live: [Origin]) {
        self.pull = pull
        self.live = Set(live.map(\.description))
    }

    func epoch(of feed: String) -> Epoch? { epochs[feed] }

    /// Reads no journal that is known to be damaged; the hub has what it was.
    func leave(_ feed: String, because problem: String) {
        problems[feed] = problem
    }

    /// Everything a feed has by now. The follower verifies the chain and names the place where it breaks.
    func read(_ feed: String) throws -> [Entry] {
        let known = entries[feed] ?? []
        guard problems[feed] == nil else { return known }
        let checkpoint = known.last.flatMap { last in
            epochs[feed].map { Checkpoint(epoch: $0, position: last.position, hash: last.hash) }
        }
        var fresh: [Entry] = []
        do {
            try pull.each(feed, after: checkpoint) { page in
                epochs[feed] = page.head.epoch
                fresh += page.entries
                return true
            }
        } catch let broken as JournalPull.Broken {
            problems[feed] = Self.sentence(broken.reason)
        }
        entries[feed] = known + fresh
        return known + fresh
    }

    private static func sentence(_ reason: StopReason) -> String {
        switch reason {
        case .diverged(let position): "the chain breaks at \(position)"
        case .hole(let position): "the entry at \(position) is missing"
        case .unknownEpoch(let head): "it began anew at \(head.position) while it was read"
        case .beyondHead(let head): "it ended at \(head.position) before what was read"
        }
    }

    /// Entries of a feed after a checkpoint, through a position.
    func entries(of feed: String, after: Checkpoint?, through last: Position) throws -> [Entry] {
        let from = (after?.position ?? 0) + 1
        // A journal whose chain broke tells nothing any more; the hub has what it was.
        let isMirrored = feed != "hub" && (!live.contains(feed) || problems[feed] != nil)
        var known = isMirrored ? try mirror(of: feed) : entries[feed] ?? []
        if Position(known.count) < last, !isMirrored { known = try read(feed) }
        guard last <= Position(known.count), from <= last else {
            throw Refusal("\(feed) ends at \(known.count); an intake entry names \(last).")
        }
        return Array(known[Int(from - 1)..<Int(last)])
    }

    /// How far the hub had read an origin when it reached a position.
    func position(of feed: String, beforeHub last: Position) throws -> Position {
        var reached: Position = 0
        for entry in entries["hub"] ?? [] where entry.position <= last {
            let (envelope, _) = try EnvelopeCodec.read(entry.bytes)
            if envelope.origin.description == feed { reached = max(reached, envelope.position) }
        }
        return reached
    }

    /// Entries of a feed after a checkpoint, through a place that an intake entry names: of a journal that was restored
    /// since, those of its earlier life.
    func history(of feed: String, after: Checkpoint?, through last: Checkpoint) throws -> [Entry] {
        let from = (after?.position ?? 0) + 1
        if feed != "hub", from <= last.position {
            let own = live.contains(feed) && problems[feed] == nil ? entries[feed] ?? [] : []
            for life in [own, try mirror(of: feed)] + (lives[feed] ?? []).reversed()
            where last.position <= life.count && life[Int(last.position) - 1].hash == last.hash {
                return Array(life[Int(from - 1)..<Int(last.position)])
            }
        }
        return try entries(of: feed, after: after, through: last.position)
    }

    /// What the hub holds of an origin, in that origin's order; of several lives the last.
    func mirror(of feed: String) throws -> [Entry] {
        let hub = entries["hub"] ?? []
        for entry in hub[sorted...] {
            let (envelope, json) = try EnvelopeCodec.read(entry.bytes)
            let origin = envelope.origin.description
            let count = Position(mirrors[origin]?.count ?? 0)
            if envelope.position <= count {
                forks[origin] = forks[origin] ?? envelope.position
                rewind(origin, to: envelope.position - 1)
            }
            let before = mirrors[origin]?.last?.hash ?? Chain.start(feed: origin, epoch: envelope.epoch)
            mirrors[origin, default: []].append(
                Entry(position: envelope.position, hash: Chain.next(after: before, entry.bytes), bytes: entry.bytes))
            if envelope.name == FollowAccepted.name, envelope.origin.service == TraceLedger.name {
                let accepted = try FollowAccepted(json: json)
                left[accepted.feed, default: 0] += rewind(accepted.feed, to: accepted.keptTo)
            }
        }
        sorted = hub.count
        return mirrors[feed] ?? []
    }

    @discardableResult
    private func rewind(_ feed: String, to position: Position) -> Int {
        guard let life = mirrors[feed], life.count > position else { return 0 }
        lives[feed, default: []].append(life)
        mirrors[feed] = Array(life.prefix(Int(position)))
        return life.count - Int(position)
    }
}
