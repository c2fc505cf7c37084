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
/// It trusts no service with more than its bytes.
struct Audit {
    /// What was found out about one journal.
    struct JournalFinding {
        let origin: String
        var epoch = ""
        var head: Position = 0
        var events = 0
        /// Events that only the hub holds: the operator accepted a journal that was restored to before them.
        var left = 0
        /// Runs of it that are sealed, each seal checked; nil for the hub, whose Merkle tree is signed instead.
        var seals: Int?
        var problem: String?
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
    private let library: Library
    private let origins: [Origin]
    private let asOf: AsOf?
    private let home: String

    /// - Parameter missing: what should be there and does not answer.
    init(_ pull: JournalPull, _ origins: [Origin], home: String, missing: [String] = [], asOf: AsOf? = nil) {
        self.missing = missing
        self.home = home
        self.pull = pull
        self.origins = origins
        self.asOf = asOf
        library = Library(pull, live: origins)
    }

    /// Something was found that is not what it was.
    var hasFault: Bool {
        !broken.isEmpty || !journals.allSatisfy { $0.problem == nil } || !views.allSatisfy(\.isEqual)
    }
    var isOK: Bool { missing.isEmpty && !hasFault }

    mutating func run() throws {
        let hub = try library.read("hub")
        report("hub", hub)
        for origin in origins {
            let seals = try SealAudit(of: origin, in: home)
            if let damage = seals.damage { library.leave(origin.description, because: damage) }
            let entries = try library.read(origin.description)
            report(origin.description, entries)
            // First against the hub as it was read before the journal: `check` reads it anew.
            try compare(entries, with: origin)
            try check(seals, entries)
        }
        for origin in origins {
            do {
                try compareViews(of: origin)
            } catch let refusal as Refusal {
                missing.append("the views of \(origin) cannot be folded: \(refusal)")
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

    private mutating func report(_ feed: String, _ entries: [Entry]) {
        var finding = JournalFinding(origin: feed)
        finding.epoch = library.epoch(of: feed)?.description ?? ""
        finding.head = entries.last?.position ?? 0
        finding.events = entries.count
        finding.problem = library.problems[feed] ?? (entries.isEmpty ? "the journal is empty" : nil)
        journals.append(finding)
    }

    /// What the journal that was just reported tells of its seals, and of the hub.
    private mutating func check(_ seals: SealAudit, _ entries: [Entry]) throws {
        let number = journals.count - 1
        guard journals[number].problem == nil else { return }
        do {
            let (count, witnessed) = try seals.check(entries)
            journals[number].seals = count
            guard let epoch = library.epoch(of: "hub"), journals[0].problem == nil else { return }
            journals[0].problem = Witness.contradiction(
                of: try library.read("hub"), in: epoch, by: journals[number].origin, witnessed)
        } catch let flaw as SealAudit.Flaw {
            journals[number].problem = flaw.sentence
        }
    }

    /// What the hub mirrors of an origin is the origin's journal, byte for byte, as far as it reaches.
    private mutating func compare(_ entries: [Entry], with origin: Origin) throws {
        guard library.problems[origin.description] == nil else { return }
        let mirror = try library.mirror(of: origin.description)
        journals[journals.count - 1].left = library.left[origin.description] ?? 0
        if let fork = library.forks[origin.description] {
            journals[journals.count - 1].problem = "the hub holds two lives of it from \(fork) on that nobody accepted"
            return
        }
        for (own, copy) in zip(entries, mirror) where own.position != copy.position || own.bytes != copy.bytes {
            journals[journals.count - 1].problem = "the hub holds other bytes at \(own.position)"
            return
        }
        if mirror.count > entries.count {
            journals[journals.count - 1].problem = "the hub knows \(mirror.count) entries"
        }
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
        let entries = try library.entries(of: origin.description, after: nil, through: position)
        let tables = try MemoryTables(Folding<S>.schemas)
        let folding = Folding<S>(of: origin.description, into: tables)
        for entry in entries { try folding.foldExactly(entry, pulling: library.history(of:after:through:)) }
        try tables.flush(at: position)
        var rebuilt: [String: String] = [:]
        var rows: [String: Int] = [:]
        for digest in try tables.digests() {
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
        if case .position(let last) = asOf {
            past = .position(try library.position(of: origin.description, beforeHub: last))
        }
        let tables = try MemoryTables(Folding<S>.schemas)
        let folding = Folding<S>(of: origin.description, into: tables)
        var position: Position = 0
        for entry in try library.read(origin.description) {
            let told = try Told(reading: entry.bytes)
            // What was taken in is looked at one by one: an intake entry is no fact of the farm.
            if case .happened = asOf, case .journal = told.fact {
                try folding.fold(entry) { feed, after, last in
                    try library.entries(of: feed, after: after, through: last).filter { try asOf.includes($0) }
                }
            } else if try past.includes(entry) {
                try folding.fold(entry, pulling: library.entries(of:after:through:))
            } else {
                continue
            }
            position = entry.position
        }
        try tables.flush(at: position)
        for digest in try tables.digests() {
            views.append(
                ViewFinding(
                    service: origin.description, view: digest.table, position: position, live: nil,
                    rebuilt: digest.digest, rows: digest.rows))
        }
    }
}
