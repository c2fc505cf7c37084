import CatalogOrders
import EventSourcing
import EventStore
import Events
import Host
import JSON
import Recommender
import SensorIngest
import SyncGateway
import TraceLedger
import Wire

/// Reads every journal of a running farm server, verifies it, folds it anew, and compares the result with what the
/// services hold live.
///
/// It trusts no service with more than its bytes, and holds of what it has read places and hashes alone: first the hub,
/// then each journal beside what the hub holds of it, then again what a service's tables are folded from.
struct Audit {
    /// What was found out about one journal.
    struct JournalFinding {
        let origin: String
        var epoch = ""
        var head: Position = 0
        /// Events that only the hub holds: the operator accepted a journal that was restored to before them.
        var left = 0
        /// Events of it of which only place and hash are left, each let go by an event of the same journal.
        var letGo = 0
        /// Events of it that cannot be read: what others wrote is mirrored all the same.
        var unreadable = 0
        /// Runs of it that are sealed, each seal checked; nil for the hub, whose Merkle tree is signed instead.
        var seals: Int?
        var problem: String?
        /// Positions have no gap.
        var events: Position { head }
    }

    /// One table, as the service holds it and as it folds from the journals.
    struct ViewFinding {
        let service: String
        let view: String
        let position: Position
        /// Nil where the past is folded: the service holds the present.
        let live: String?
        let rebuilt: String
        let rows: Int
        var isEqual: Bool { live.map { $0 == rebuilt } ?? true }
    }

    private(set) var journals: [JournalFinding] = []
    private(set) var views: [ViewFinding] = []
    private(set) var missing: [String]
    /// Services whose tables hold what no fold writes.
    private(set) var broken: [String] = []
    private let pull: JournalPull
    private let origins: [Origin]
    private let asOf: AsOf?
    private let home: String
    private var mirrors: Mirrors
    private var tree: TreeAudit
    /// Journals that cannot be read to their end, or are known to be damaged: the hub has what they were.
    private var damaged: Set<Origin> = []

    /// - Parameter missing: what should be there and does not answer.
    init(_ pull: JournalPull, _ origins: [Origin], home: String, missing: [String] = [], asOf: AsOf? = nil) {
        self.missing = missing
        self.home = home
        self.pull = pull
        self.origins = origins
        self.asOf = asOf
        tree = TreeAudit { verb, body in try pull.ask(TraceLedger.name, verb, slot: 0, body: body) }
        if case .position(let last) = asOf { mirrors = Mirrors(at: last) } else { mirrors = Mirrors() }
    }

    /// Something was found that is not what it was.
    var hasFault: Bool {
        !broken.isEmpty || !journals.allSatisfy { $0.problem == nil } || !views.allSatisfy(\.isEqual)
    }
    var isOK: Bool { missing.isEmpty && !hasFault }

    mutating func run() throws {
        try readHub()
        for origin in origins {
            do {
                try read(origin)
            } catch let refusal as Refusal { try tellUnread(origin, refusal) }
        }
        for origin in origins where asOf == nil { try lookAtIndex(of: origin) }
        for origin in origins {
            do {
                try compareViews(of: origin)
            } catch let refusal as Refusal {
                missing.append("the views of \(origin) cannot be folded: \(refusal)")
            } catch let unreadable as JSONError {
                missing.append("the views of \(origin) cannot be folded: an event cannot be read: \(unreadable)")
            }
        }
    }

    private mutating func compareViews(of origin: Origin) throws {
        switch origin.service {
        case TraceLedger.name: try compareViews(TraceLedger.self, origin)
        case SensorIngest.name: try compareViews(SensorIngest.self, origin)
        case CatalogOrders.name: try compareViews(CatalogOrders.self, origin)
        case Recommender.name: try compareViews(Recommender.self, origin)
        case SyncGateway.name: try compareViews(SyncGateway.self, origin)
        default: missing.append("\(origin) is a service this command does not know")
        }
    }

    // MARK: Journals

    private mutating func readHub() throws {
        var problem = try readHubOn()
        var read: Position = 0
        // It may have let go more meanwhile, and says so behind what was read.
        while problem == nil, mirrors.isWaiting, mirrors.position > read {
            read = mirrors.position
            problem = try readHubOn()
        }
        journals.append(
            JournalFinding(
                origin: "hub", epoch: mirrors.epoch?.description ?? "", head: mirrors.position, letGo: mirrors.letGo,
                unreadable: mirrors.unreadable.count,
                problem: problem ?? (mirrors.position == 0 ? "the journal is empty" : mirrors.flaw ?? tree.flaw)))
    }

    /// Reads the hub from where it was read to; gives why it cannot be read to its end.
    private mutating func readHubOn() throws -> String? {
        let hub = try pull.walk("hub", after: mirrors.checkpoint, telling: "reading the hub")
        while let entry = try hub.next() {
            try mirrors.add(entry, asking: tree.place(of:))
            try tree.add(entry)
        }
        mirrors.epoch = hub.epoch
        if let stopped = hub.stopped { return stopped.finding }
        try tree.end(at: mirrors.position, restored: mirrors.restored)
        return nil
    }

    /// A journal that is not served: why, where its service knows.
    private mutating func tellUnread(_ origin: Origin, _ refusal: Refusal) throws {
        damaged.insert(origin)
        if let flaw = try indexFlaw(of: origin, head: 0) {
            journals.append(JournalFinding(origin: origin.description, problem: flaw))
        } else {
            missing.append("the journal of \(origin) cannot be read: \(refusal)")
        }
    }

    private mutating func indexFlaw(of origin: Origin, head: Position) throws -> String? {
        do {
            return try IndexLook(at: origin, asking: pull).flaw(of: head)
        } catch let refusal as Refusal {
            missing.append("the index of \(origin) cannot be looked at: \(refusal)")
            return nil
        }
    }

    /// What a journal's chain and its seals are, and whether the hub has the same of it and is what it witnessed.
    private mutating func read(_ origin: Origin) throws {
        var finding = JournalFinding(origin: origin.description)
        var seals = try SealAudit(of: origin, in: home)
        var contradiction: String?
        if let damage = seals.damage {
            // Nothing of it is read.
            finding.problem = damage
            damaged.insert(origin)
        } else {
            let copied = mirrors[origin].position
            // The chain where the hub's copy ends.
            var hash: [UInt8]?
            var last: Checkpoint?
            repeat {
                let journal = try pull.walk(origin.description, after: last, telling: "reading \(origin)")
                while let entry = try journal.next() {
                    if entry.position == copied { hash = entry.hash }
                    last = journal.epoch.map { Checkpoint(epoch: $0, position: entry.position, hash: entry.hash) }
                    guard let statement = seals.add(entry), contradiction == nil else { continue }
                    contradiction = try self.contradiction(by: origin, statement)
                }
                let hasMore = journal.position > finding.head
                finding.epoch = journal.epoch?.description ?? ""
                finding.head = journal.position
                finding.problem = journal.stopped?.finding
                // It may have let go more meanwhile, and says so behind what was read.
                guard hasMore, seals.isWaiting else { break }
            } while finding.problem == nil
            if finding.problem == nil { try compare(&finding, origin, hash) } else { damaged.insert(origin) }
        }
        finding.letGo = seals.empty.count
        if finding.problem == nil, let flaw = seals.flaw { finding.problem = flaw }
        if finding.problem == nil {
            finding.seals = seals.count
            journals[0].problem = journals[0].problem ?? contradiction
        }
        journals.append(finding)
    }

    /// What the hub mirrors of an origin is the origin's journal, byte for byte, as far as it reaches. Where the hub
    /// has let something go, its copy makes no chain, and both are read side by side.
    private func compare(_ finding: inout JournalFinding, _ origin: Origin, _ hash: [UInt8]?) throws {
        let mirror = mirrors[origin]
        finding.left = mirror.left
        if let fork = mirror.fork {
            finding.problem = "the hub holds two lives of it from \(fork) on that nobody accepted"
        } else if mirror.position > 0, mirror.empty.count > 0 || mirror.hash == nil || mirror.hash != hash {
            if let place = try difference(of: origin) {
                finding.problem = "the hub holds other bytes at \(place)"
            } else if mirror.position > finding.head {
                finding.problem = "the hub knows \(mirror.position) entries"
            }
        } else if finding.head == 0 {
            finding.problem = "the journal is empty"
        }
    }

    /// The first position at which a journal and the hub's copy of it are not the same. Either may have let go what
    /// the other still has; of that the journal's chain tells whether it was the same.
    private func difference(of origin: Origin) throws -> Position? {
        let own = try pull.walk(origin.description)
        let copy = try MirrorWalk(pull.walk("hub"), of: origin, as: mirrors[origin], unreadable: mirrors.unreadable)
        var before: [UInt8] = []
        var other = try copy.next()
        while let copied = other, let entry = try own.next() {
            defer { before = entry.hash }
            guard entry.position >= copied.position else { continue }
            let isSame =
                entry.isPruned ? Chain.next(after: before, copied.bytes) == entry.hash : entry.bytes == copied.bytes
            guard entry.position == copied.position, isSame else { return entry.position }
            other = try copy.next()
        }
        return nil
    }

    private mutating func contradiction(by origin: Origin, _ statement: CheckpointWitnessed) throws -> String? {
        guard journals[0].problem == nil else { return nil }
        // The hub has gone on since it was read.
        if statement.position > mirrors.position { journals[0].problem = try readHubOn() }
        guard let epoch = mirrors.epoch else { return nil }
        return mirrors.witness.contradiction(of: mirrors.position, in: epoch, by: origin.description, statement)
    }

    /// What a service's store keeps beside the bytes; the ledger's is the hub's. Of bytes that are not what they were
    /// nothing more is said.
    private mutating func lookAtIndex(of origin: Origin) throws {
        let feed = origin.service == TraceLedger.name ? "hub" : origin.description
        guard let index = journals.firstIndex(where: { $0.origin == feed }), journals[index].problem == nil else {
            return
        }
        journals[index].problem = try indexFlaw(of: origin, head: journals[index].head)
    }

    // MARK: Views

    private mutating func compareViews<S: Service>(_ type: S.Type, _ origin: Origin) throws {
        if let asOf { return try foldPast(type, origin, asOf) }
        let answer = try pull.ask(origin.service, "host.digests", slot: origin.slot)
        guard answer.status == 200 else {
            broken.append("\(origin) cannot read its own tables: \(Self.detail(of: answer))")
            return
        }
        let live = try JSONValue.parse(answer.body)
        let position: Position = try live.get("position")
        let (own, pull) = try sources(of: origin, through: position)
        var refolding = try Refolding(type, of: origin, in: home)
        while refolding.position < position, let entry = try own.next() { try refolding.fold(entry, pulling: pull) }
        guard refolding.position == position else {
            throw Self.end(of: origin.description, refolding.position, position)
        }
        var rebuilt: [String: String] = [:]
        var rows: [String: Int] = [:]
        for digest in try refolding.digests() {
            rebuilt[digest.table] = digest.digest
            rows[digest.table] = digest.rows
        }
        for table in live["tables"]?.array.map({ Array($0) }) ?? [] {
            let name: String = try table.get("table")
            views.append(
                ViewFinding(
                    service: origin.description, view: name, position: position, live: try table.get("digest"),
                    rebuilt: rebuilt.removeValue(forKey: name) ?? "no such view", rows: rows[name] ?? 0))
        }
        for name in rebuilt.keys.sorted() { missing.append("\(origin) has no table \(name)") }
    }

    /// Gives the first of the events of a feed that were not given yet, none beyond a position.
    private typealias Pull = (_ feed: String, _ through: Position) throws -> [Entry]

    /// Where a service's own entries come from, and the foreign events that its intake entries name.
    private func sources(of origin: Origin, through last: Position? = nil) throws -> (own: any Walk, pull: Pull) {
        let what = "folding \(origin) anew"
        if origin.service == TraceLedger.name {
            // What it took in stands in the hub, before the entry that names it.
            let own = try MirrorWalk(
                pull.walk("hub", telling: what), of: origin, as: mirrors[origin], unreadable: mirrors.unreadable,
                keepingOthers: true)
            return (own, own.others(of:through:))
        }
        let own: any Walk =
            damaged.contains(origin)
            ? try MirrorWalk(
                pull.walk("hub", telling: what), of: origin, as: mirrors[origin], unreadable: mirrors.unreadable)
            : try pull.walk(origin.description, through: last, telling: what)
        let hub = try pull.walk("hub")
        return (
            own,
            { feed, last in
                guard feed == "hub" else {
                    throw Refusal("\(feed) was taken in, which is read nowhere but in the ledger.")
                }
                let entries = try hub.next(through: last)
                guard !entries.isEmpty || hub.position >= last else { throw Self.end(of: feed, hub.position, last) }
                return entries
            }
        )
    }

    private static func end(of feed: String, _ position: Position, _ last: Position) -> Refusal {
        Refusal("\(feed) ends at \(position); an intake entry names \(last).")
    }

    private static func detail(of answer: Answer) -> String {
        do {
            return try JSONValue.parse(answer.body).get("detail")
        } catch {
            return "it answers \(answer.status)"
        }
    }

    /// Folds the tables of a service as they were.
    ///
    /// A position is one of the hub: of each journal, what the hub had read of it by then.
    private mutating func foldPast<S: Service>(_ type: S.Type, _ origin: Origin, _ asOf: AsOf) throws {
        var past = asOf
        if case .position = asOf { past = .position(mirrors[origin].asked) }
        let (own, pull) = try sources(of: origin)
        var refolding = try Refolding(type, of: origin, in: home)
        while let entry = try own.next() {
            guard !entry.isPruned else { continue }
            // What was taken in is looked at one by one: an intake entry is no fact of the farm.
            if case .happened = asOf, case .journal = try Told(reading: entry.bytes).fact {
                try refolding.fold(entry) { feed, last in
                    while case let some = try pull(feed, last), !some.isEmpty {
                        let happened = some.filter { !$0.isPruned && asOf.includes($0) == true }
                        if !happened.isEmpty { return happened }
                    }
                    return []
                }
            } else if past.includes(entry) == true {
                try refolding.fold(entry, pulling: pull)
            }
        }
        for digest in try refolding.digests() {
            views.append(
                ViewFinding(
                    service: origin.description, view: digest.table, position: refolding.position, live: nil,
                    rebuilt: digest.digest, rows: digest.rows))
        }
    }
}
