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
/// then each journal beside what the hub holds of it, then again what a service's tables are folded from. It continues
/// behind damage, and lists all of it.
struct Audit {
    private(set) var journals: [JournalFinding] = []
    private(set) var views: [ViewFinding] = []
    private(set) var missing: [String]
    /// Services whose tables hold what no fold writes.
    private(set) var broken: [String] = []
    private let pull: JournalPull
    private let origins: [Origin]
    private let asOf: AsOf?
    /// Where the epochs of all journals begin, as the hub has them.
    private var starts = EpochStarts()
    private let home: String
    private var summaries: OriginSummaries
    private var tree: TreeAudit
    /// Journals that cannot be read to their end, or are known to be damaged: the hub has what they were.
    private var damaged: Set<Origin> = []
    /// Damaged entries of the hub: by origin and position there, where they stand in the hub.
    private var wanted: [Origin: [Position: Position]] = [:]
    /// The bytes of those, from the journals they were mirrored from; nothing where these have none either.
    private var replacing: [Position: [UInt8]] = [:]

    /// - Parameter missing: what should be there and does not answer.
    init(_ pull: JournalPull, _ origins: [Origin], home: String, missing: [String] = [], asOf: AsOf? = nil) {
        self.missing = missing
        self.home = home
        self.pull = pull
        self.origins = origins
        self.asOf = asOf
        tree = TreeAudit { verb, body in try pull.ask(TraceLedger.name, verb, slot: 0, body: body) }
        if case .position(let last) = asOf {
            summaries = OriginSummaries(at: last)
        } else {
            summaries = OriginSummaries()
        }
    }

    /// Something was found that is not what it was.
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
                missing.append("the views of \(origin) cannot be folded: \(refusal)")
            } catch let unreadable as JSONError {
                missing.append("the views of \(origin) cannot be folded: an event cannot be read: \(unreadable)")
            } catch let failure as LogFailure {
                missing.append("the views of \(origin) cannot be folded: \(failure)")
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
        // It may have pruned more since, and says so behind what was read.
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

    /// Reads the hub from where it was read to; gives what is wrong with its chain there, and why it ends before its
    /// end.
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

    /// Remembers that the bytes of a damaged entry of the hub are needed, so that one damaged entry makes no table
    /// unequal that does not depend on it.
    private mutating func look(forOriginalOf entry: Entry) throws {
        do throws(JSONError) {
            _ = try EnvelopeCodec.read(entry.bytes)
        } catch {
            replacing[entry.position] = []
        }
        guard let place = try tree.place(of: entry.position), let origin = Origin(place.origin) else { return }
        wanted[origin, default: [:]][place.position] = entry.position
    }

    /// A journal that is not served: why, where its service knows.
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

    /// What a journal's chain and its seals are, and whether the hub has the same of it and is what it witnessed.
    private mutating func read(_ origin: Origin) throws {
        var finding = JournalFinding(origin: origin.description)
        var seals = try SealAudit(of: origin, in: home)
        var contradiction: String?
        if !seals.damage.isEmpty {
            // Its service cannot serve what lies in these files: the hub's copy stands for it.
            finding.problems = seals.damage
            finding.problems.add("so its chain, seals and index were not checked; the hub's copy of it was used")
            damaged.insert(origin)
        } else {
            let copied = summaries[origin].position
            // The chain where the hub's copy ends.
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
                // It may have pruned more since, and says so behind what was read.
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

    /// What the hub mirrors of an origin is the origin's journal, byte for byte, as far as it reaches. Where the hub
    /// has let something go, its copy makes no chain, and both are read side by side.
    private func compare(_ finding: inout JournalFinding, _ origin: Origin, _ hash: [UInt8]?) throws {
        let mirror = summaries[origin]
        finding.left = mirror.left
        if let fork = mirror.fork {
            finding.problems.add("the hub holds two lives of it from \(fork) on that nobody accepted")
        } else if mirror.position > 0, mirror.empty.count > 0 || mirror.hash == nil || mirror.hash != hash {
            let places = try differences(of: origin)
            for place in places { finding.problems.add("the hub holds other bytes at \(place)") }
            if places.isEmpty, mirror.position > finding.head {
                finding.problems.add("the hub knows \(mirror.position) entries")
            }
        } else if finding.head == 0, finding.problems.isEmpty {
            finding.problems.add("the journal is empty")
        }
    }

    /// The positions at which a journal and the hub's copy of it are not the same. Either may have pruned what the
    /// other still has; of that the journal's chain tells whether it was the same.
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
        // Another life of the journal begins behind its end; it is reported as such.
        return next.map { $0.position > passed.position } == true ? next : nil
    }

    private mutating func contradiction(by origin: Origin, _ statement: CheckpointWitnessed) throws -> String? {
        // The hub has gone on since it was read.
        if statement.position > summaries.position { journals[0].problems.add(try readHubOn()) }
        guard let epoch = summaries.epoch else { return nil }
        return summaries.witness.contradiction(of: summaries.position, in: epoch, by: origin.description, statement)
    }

    /// What a service's store keeps beside the bytes; the ledger's is the hub's. A journal that could not be read was
    /// looked at before.
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

    /// Gives the first of the events of a feed that were not given yet, none beyond a position.
    private typealias Pull = (_ feed: String, _ through: Position) throws -> [Entry]

    /// Where a service's own entries come from, and the foreign events that its intake entries name.
    private func sources(of origin: Origin, through last: Position? = nil) throws -> (own: any Walk, pull: Pull) {
        let what = "folding \(origin) anew"
        let hub = try pull.walk("hub", telling: origin.service == TraceLedger.name ? what : nil)
        hub.replacing = replacing
        if origin.service == TraceLedger.name {
            // What it took in stands in the hub, before the entry that names it.
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

    private static func detail(of answer: Response) -> String {
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
        if case .position = asOf { past = .position(summaries[origin].asked) }
        let (own, pull) = try sources(of: origin)
        var reprojection = try Reprojection(type, of: origin, in: home)
        while let entry = try own.next() {
            guard !entry.isPruned else { continue }
            if case .position(let last) = past, entry.position > last { break }
            // What was taken in is looked at one by one: an intake entry is no fact of the farm.
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
                // The events it names belong to it: an entry behind it, written by a clock that was set back, must not
                // be given them.
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
