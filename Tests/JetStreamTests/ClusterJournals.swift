import Crypto
import EventSourcing
import EventStore
import JetStream
import TestKit
import Testing
import Vocabulary
import Wire

/// Journals in the shared cluster of the tests.
final class ClusterJournals {
    static let key = [UInt8](repeating: 7, count: Cluster.keySize)
    private let folder: String
    let cluster: NATSCluster
    private var number = 0

    init(in folder: String, cluster: NATSCluster? = nil) throws {
        self.folder = folder
        self.cluster = try cluster ?? NATSCluster.shared.get()
    }

    var description: Cluster { Cluster(servers: cluster.servers, key: Self.key, name: "test") }

    func open(_ path: String, feed: String, at now: Instant) throws -> SQLiteLog {
        try description.open(path, feed: feed, why: "test", at: now)
    }

    // MARK: Events

    static let now = Instant(microseconds: 1_777_792_500_000_000)

    static func draft(_ number: Int, text: String = "") -> Draft {
        Draft(Noted(number, text), in: "note/\(number % 5)", by: .service("test"))
    }

    /// Appends numbered events in one commit each, with a stored response for every tenth.
    static func append(_ numbers: Range<Int>, to log: SQLiteLog) throws {
        for number in numbers {
            let key = IdempotencyKey(actor: "person/p", key: "k\(number)", digest: [1])
            let response = Response(status: 201, body: Array("{\"number\":\(number)}".utf8))
            _ = try log.stage(
                Commit([draft(number)], answer: number.isMultiple(of: 10) ? (key, response) : nil), at: now)
        }
        try log.commit()
    }

    /// Seals everything that is due.
    static func seal(_ log: SQLiteLog) throws {
        while let due = try SealedRun.due(in: log) {
            let run = try SealedRun.make(due, reading: log.reader(), in: SegmentDirectory(ofJournal: log.path))
            try log.hand(over: run)
            _ = try log.stage(Commit(run.drafts), at: now)
            try log.commit()
            while try log.dropSealed() {}
        }
    }

    /// Prunes the events of a segment whose position divided by `divisor` has a rest; with nil it prunes none.
    static func prune(_ number: Int, of log: SQLiteLog, keepingEach divisor: Position?) throws {
        let size = Position(StoreLimits.sealEvents)
        let positions = (Position(number) - 1) * size + 1...Position(number) * size
        let run = try PrunedRun.make(positions, in: SegmentDirectory(ofJournal: log.path), keeping: []) { entry in
            let isNote = String(decoding: entry.bytes, as: UTF8.self).contains(#""note/"#)
            return isNote && divisor.map { entry.position % $0 != 0 } == true ? now : nil
        }
        try log.prune(run)
        _ = try log.stage(Commit(run.drafts), at: now)
        try log.commit()
    }

    /// Reads all events and verifies the chain, where they are not pruned.
    static func entries(of log: SQLiteLog) throws -> [Entry] {
        var entries: [Entry] = []
        let reader = try log.reader()
        while case let page = try reader.read(from: Position(entries.count) + 1, events: 300, bytes: 1 << 20),
            !page.isEmpty
        {
            entries += page
        }
        #expect(Chain.firstBreak(in: entries, after: try reader.hash(at: 0) ?? [], at: 0) == nil)
        #expect(entries.map(\.position) == Array(1...log.head.position))
        return entries
    }

    /// Returns the ids of all events, in order.
    static func ids(of log: SQLiteLog) throws -> [UUID] {
        try entries(of: log).map { try EnvelopeCodec.read($0.bytes).envelope.id }
    }

    // MARK: Places

    /// Returns the name of an origin that no other test uses.
    static func feed() -> String { "test/\(Hex.encode(Random.bytes(6)))-0" }

    func path() -> String {
        number += 1
        return "\(folder)/\(number).db"
    }

    func harness(with remainder: ClusterContractTests.Remainder) -> EventLogHarness {
        EventLogHarness(
            create: { now in
                try self.open(self.path(), feed: Self.feed(), at: now)
            },
            crash: { log, now in
                guard let log = log as? SQLiteLog else { throw ContractBreach("not a journal in a cluster") }
                let path = self.path()
                if remainder == .wholeFile { try copyDatabase(log.path, to: path) }
                return try self.open(path, feed: log.head.feed, at: now)
            },
            readers: { log in
                let path = (log as? SQLiteLog)?.path ?? ""
                return { try SQLiteReader(path: path) }
            })
    }
}
