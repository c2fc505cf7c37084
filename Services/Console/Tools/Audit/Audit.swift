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

/// Reads and verifies every journal of a running farm server, rebuilds all views, and compares them with the live ones.
///
/// It trusts nothing but the bytes of the journals, and stores only positions and hashes of what it has read. It reads
/// the hub first, then each journal beside the hub's copy, then the inputs of each service's tables. It continues after
/// damage, and lists all of it.
struct Audit {
    private(set) var journals: [JournalFinding] = []
    private(set) var views: [ViewFinding] = []
    private(set) var missing: [String]
    /// Services whose tables contain values that no projection writes.
    private(set) var broken: [String] = []
    private let pull: JournalPull
    private let origins: [Origin]
    private let asOf: AsOf?
    /// The starts of epochs of all journals, from the hub.
    private var starts = EpochStarts()
    private let home: String
    private var summaries: OriginSummaries
    private var tree: TreeAudit
    /// Journals that cannot be read to their end or are damaged; the hub's copy is used instead.
    private var damaged: Set<Origin> = []
    /// Damaged entries of the hub: their hub position by origin and position there.
    private var wanted: [Origin: [Position: Position]] = [:]
    /// The original bytes of those, by hub position, from the journals that they were mirrored from; empty if these
    /// have none.
    private var replacing: [Position: [UInt8]] = [:]

    /// - Parameter missing: expected services that do not respond.
    init(_ pull: JournalPull, _ origins: [Origin], home: String, missing: [String] = [], asOf: AsOf? = nil) {
        self.missing = missing
        self.home = home
        self.pull = pull
        self.origins = origins
        self.asOf = asOf
        tree = TreeAudit { query, body in try pull.ask(query.service, query.rawValue, slot: 0, body: body) }
        if case .position(let last) = asOf {
            summaries = OriginSummaries(at: last)
        } else {
            summaries = OriginSummaries()
        }
    }

    /// Whether the audit found a difference or damage.
    var hasFault: Bool {
        !broken.isEmpty || !journals.allSatisfy(\.problems.isEmpty) || !views.allSatisfy(\.isEqual)
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
                missing.append("the views of \(origin) cannot be rebuilt: \(refusal)")
            } catch let unreadable as JSONError {
                missing.append("the views of \(origin) cannot be rebuilt: an event cannot be read: \(unreadable)")
            } catch let failure as LogFailure {
                missing.append("the views of \(origin) cannot be rebuilt: \(failure)")
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
        var problems = try readHubOn()
        var read: Position = 0
        // It may have pruned more since, which later entries record.
        while summaries.isWaiting, summaries.position > read {
            read = summaries.position
            problems.add(try readHubOn())
        }
        if summaries.position == 0, problems.isEmpty { problems.add("the journal is empty") }
        problems.add(summaries.flaws)
        problems.add(tree.flaws)
        journals.append(
            JournalFinding(
                origin: "hub", epoch: summaries.epoch?.description ?? "", head: summaries.position,
                letGo: summaries.letGo,
                unreadable: summaries.unreadable.count, problems: problems))
    }

    /// Reads the hub from the last position on. Returns the damage of its chain, and why it ends early if it does.
    private mutating func readHubOn() throws -> Findings {
        let hub = try pull.walk("hub", after: summaries.checkpoint, telling: "reading the hub")
        while let entry = try hub.next() {
            if hub.broken.contains(entry.position) { try look(forOriginalOf: entry) }
            try summaries.add(entry, asking: tree.place(of:))
            if case .recorded = asOf { starts.add(entry) }
            try tree.add(entry)
        }
        summaries.epoch = hub.epoch
        var problems = hub.damage
        if let stopped = hub.stopped {
            problems.add(stopped.finding)
        } else {
            try tree.end(at: summaries.position, restored: summaries.restored)
        }
        return problems
    }

    /// Notes that the original bytes of a damaged hub entry are needed.
    ///
    /// With them, the damaged entry affects only tables that depend on it.
    private mutating func look(forOriginalOf entry: Entry) throws {
        do throws(JSONError) {
            _ = try EnvelopeCodec.read(entry.bytes)
        } catch {
            replacing[entry.position] = []
        }
        guard let place = try tree.place(of: entry.position), let origin = Origin(place.origin) else { return }
        wanted[origin, default: [:]][place.position] = entry.position
    }

    /// Records why a journal is not served, as far as its service knows.
    private mutating func tellUnread(_ origin: Origin, _ refusal: Refusal) throws {
        damaged.insert(origin)
        let flaws = try indexFlaws(of: origin, head: 0)
        if flaws.isEmpty {
            missing.append("the journal of \(origin) cannot be read: \(refusal)")
        } else {
            journals.append(JournalFinding(origin: origin.description, problems: flaws))
        }
    }

    private mutating func indexFlaws(of origin: Origin, head: Position) throws -> Findings {
        do {
            return try IndexLook(at: origin, asking: pull).flaws(of: head)
        } catch let refusal as Refusal {
            missing.append("the index of \(origin) cannot be looked at: \(refusal)")
            return Findings()
        }
    }

    /// Verifies a journal's chain and seals, that the hub has the same entries, and that the hub agrees with its
    /// witness statements.
    private mutating func read(_ origin: Origin) throws {
        var finding = JournalFinding(origin: origin.description)
        var seals = try SealAudit(of: origin, in: home)
        var contradiction: String?
        if !seals.damage.isEmpty {
            // Its service cannot serve the content of these files: the hub's copy is used instead.
            finding.problems = seals.damage
            finding.problems.add("so its chain, seals and index were not checked; the hub's copy of it was used")
            damaged.insert(origin)
        } else {
            let copied = summaries[origin].position
            // The hash of the journal's chain at the end of the hub's copy.
            var hash: [UInt8]?
            var last: Checkpoint?
            repeat {
                let journal = try pull.walk(origin.description, after: last, telling: "reading \(origin)")
                while let entry = try journal.next() {
                    if entry.position == copied { hash = entry.hash }
                    if let place = wanted[origin]?[entry.position], !journal.broken.contains(entry.position) {
                        replacing[place] = entry.bytes
                    }
                    if case .recorded = asOf { starts.add(entry) }
                    last = journal.epoch.map { Checkpoint(epoch: $0, position: entry.position, hash: entry.hash) }
                    guard let statement = seals.add(entry), contradiction == nil else { continue }
                    contradiction = try self.contradiction(by: origin, statement)
                }
                let hasMore = journal.position > finding.head
                finding.epoch = journal.epoch?.description ?? ""
                finding.head = journal.position
                finding.problems.add(journal.damage)
                journal.stopped.map { finding.problems.add($0.finding) }
                // It may have pruned more since, which later entries record.
                guard hasMore, seals.isWaiting, journal.stopped == nil else { break }
            } while true
            if !finding.problems.isEmpty { damaged.insert(origin) }
            try compare(&finding, origin, hash)
            finding.problems.add(seals.flaws)
        }
        finding.letGo = seals.empty.count
        if finding.problems.isEmpty {
            finding.seals = seals.count
            contradiction.map { journals[0].problems.add($0) }
        }
        journals.append(finding)
    }

    /// Checks that the hub's copy of a journal equals the journal byte for byte, as far as it reaches.
    ///
    /// If the hub has pruned entries, its copy forms no chain, and both are compared entry by entry.
    private func compare(_ finding: inout JournalFinding, _ origin: Origin, _ hash: [UInt8]?) throws {
        let mirror = summaries[origin]
        finding.left = mirror.left
        if let fork = mirror.fork {
            finding.problems.add("the hub has two histories of it from \(fork) on, which was not accepted")
        } else if mirror.position > 0, mirror.empty.count > 0 || mirror.hash == nil || mirror.hash != hash {
            let places = try differences(of: origin)
            for place in places { finding.problems.add("the hub has other bytes at \(place)") }
            if places.isEmpty, mirror.position > finding.head {
                finding.problems.add("the hub knows \(mirror.position) entries")
            }
        } else if finding.head == 0, finding.problems.isEmpty {
            finding.problems.add("the journal is empty")
        }
    }

    /// Returns the positions at which a journal and the hub's copy of it differ.
    ///
    /// Either may have pruned what the other still has. The journal's chain then proves whether a pruned entry was the
    /// same.
    private func differences(of origin: Origin) throws -> [Position] {
        let own = try pull.walk(origin.description)
        let copy = try OriginIterator(
            pull.walk("hub"), of: origin, as: summaries[origin], unreadable: summaries.unreadable)
        var places: [Position] = []
        var before: [UInt8] = []
        var other = try copy.next()
        while places.count < Findings.limit, let copied = other, let entry = try own.next() {
            defer { before = entry.hash }
            guard entry.position >= copied.position else { continue }
            let isSame =
                entry.isPruned ? Chain.next(after: before, copied.bytes) == entry.hash : entry.bytes == copied.bytes
            if entry.position != copied.position || !isSame { places.append(copied.position) }
            while let passed = other, passed.position <= entry.position { other = try next(copy, behind: passed) }
        }
        return places
    }

    private func next(_ copy: OriginIterator, behind passed: Entry) throws -> Entry? {
        let next = try copy.next()
        // After the end of the copy, an earlier history of the journal may begin, which is reported as a fork.
        return next.map { $0.position > passed.position } == true ? next : nil
    }

    private mutating func contradiction(by origin: Origin, _ statement: CheckpointWitnessed) throws -> String? {
        // The hub has grown since it was read.
        if statement.position > summaries.position { journals[0].problems.add(try readHubOn()) }
        guard let epoch = summaries.epoch else { return nil }
        return summaries.witness.contradiction(of: summaries.position, in: epoch, by: origin.description, statement)
    }

    /// Checks the index that a service's store has beside the bytes; the ledger's is the hub's.
    ///
    /// A journal that could not be read was checked before.
    private mutating func lookAtIndex(of origin: Origin) throws {
        let feed = origin.service == TraceLedger.name ? "hub" : origin.description
        guard let index = journals.firstIndex(where: { $0.origin == feed }), journals[index].head > 0 else { return }
        journals[index].problems.add(try indexFlaws(of: origin, head: journals[index].head))
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
        var reprojection = try Reprojection(type, of: origin, in: home)
        while reprojection.position < position, let entry = try own.next() {
            try reprojection.fold(entry, pulling: pull)
        }
        guard reprojection.position == position else {
            throw Self.end(of: origin.description, reprojection.position, position)
        }
        var rebuilt: [String: String] = [:]
        var rows: [String: Int] = [:]
        for digest in try reprojection.digests() {
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

    /// Returns the next events of a feed up to a position; empty if there are none.
    private typealias Pull = (_ feed: String, _ through: Position) throws -> [Entry]

    /// Returns the sources of a service's own entries, and of the foreign events that its checkpoint events name.
    private func sources(of origin: Origin, through last: Position? = nil) throws -> (own: any Walk, pull: Pull) {
        let what = "rebuilding \(origin)"
        let hub = try pull.walk("hub", telling: origin.service == TraceLedger.name ? what : nil)
        hub.replacing = replacing
        if origin.service == TraceLedger.name {
            // In the hub, consumed events precede the checkpoint event that names them.
            let own = OriginIterator(
                hub, of: origin, as: summaries[origin], unreadable: summaries.unreadable, keepingOthers: true)
            return (own, own.others(of:through:))
        }
        let own: any Walk
        if damaged.contains(origin) {
            let copy = try pull.walk("hub", telling: what)
            copy.replacing = replacing
            own = OriginIterator(copy, of: origin, as: summaries[origin], unreadable: summaries.unreadable)
        } else {
            own = try pull.walk(origin.description, through: last, telling: what)
        }
        return (
            own,
            { feed, last in
                guard feed == "hub" else {
                    throw Refusal("\(feed) was consumed, but only the ledger may read it.")
                }
                let entries = try hub.next(through: last)
                guard !entries.isEmpty || hub.position >= last else { throw Self.end(of: feed, hub.position, last) }
                return entries
            }
        )
    }

    private static func end(of feed: String, _ position: Position, _ last: Position) -> Refusal {
        Refusal("\(feed) ends at \(position); a checkpoint event names \(last).")
    }

    private static func detail(of answer: Response) -> String {
        do {
            return try JSONValue.parse(answer.body).get("detail")
        } catch {
            return "its status is \(answer.status)"
        }
    }

    /// Rebuilds the tables of a service as they were at a past moment.
    ///
    /// A position is one of the hub: it includes of each journal what the hub had read by then.
    private mutating func foldPast<S: Service>(_ type: S.Type, _ origin: Origin, _ asOf: AsOf) throws {
        var past = asOf
        if case .position = asOf { past = .position(summaries[origin].asked) }
        let (own, pull) = try sources(of: origin)
        var reprojection = try Reprojection(type, of: origin, in: home)
        while let entry = try own.next() {
            guard !entry.isPruned else { continue }
            if case .position(let last) = past, entry.position > last { break }
            // Consumed events are selected one by one: a checkpoint event is not an event of the farm.
            if case .happened = asOf, entry.isOfJournal {
                try reprojection.fold(entry) { feed, last in
                    while case let some = try pull(feed, last), !some.isEmpty {
                        let happened = some.filter { !$0.isPruned && asOf.includes($0) == true }
                        if !happened.isEmpty { return happened }
                    }
                    return []
                }
            } else if past.includes(entry, before: starts) == true {
                try reprojection.fold(entry, pulling: pull)
            } else if let intake = entry.intake {
                // The events that it names belong to it: they must not go to a later entry that has an earlier time
                // because the clock was set back.
                while try !pull(intake.feed, intake.last).isEmpty {}
            }
        }
        for digest in try reprojection.digests() {
            views.append(
                ViewFinding(
                    service: origin.description, view: digest.table, position: reprojection.position, live: nil,
                    rebuilt: digest.digest, rows: digest.rows))
        }
    }
}
