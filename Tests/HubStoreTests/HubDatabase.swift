import Crypto
import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Vocabulary
import Wire

/// A database for one test in the cluster that the tests share.
struct HubDatabase: Sendable {
    static let feed = "trace-ledger/farm-0"
    static let clock = Instant(microseconds: 1_777_792_500_000_000)

    let conninfo: String
    let name: String

    init(in cluster: PostgresCluster? = nil) throws {
        let cluster = try cluster ?? PostgresCluster.shared.get()
        name = "t_\(Hex.encode(Random.bytes(8)))"
        try Connection(cluster.conninfo).execute("CREATE DATABASE \(name)")
        conninfo = cluster.conninfo(database: name)
    }

    func connect() throws -> Connection {
        try Connection(conninfo)
    }

    func open(patience: Int = 10, at now: Instant = clock) throws(LogFailure) -> HubLog {
        try HubLog(conninfo, feed: Self.feed, why: "test", at: now, patience: patience)
    }

    /// Ends every connection to the database, as if its processes had died.
    func killAll() throws {
        let other = try connect()
        let sql = """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        _ = try other.query(sql)
    }

    /// Opens the hub again as if its process had died.
    func crash(at now: Instant = clock) throws -> HubLog {
        try killAll()
        return try open(at: now)
    }
}

/// An in-memory journal of another origin, whose pages a hub mirrors.
struct ForeignJournal {
    let feed: String
    private(set) var log: MemoryLog
    private var reader: any LogReader

    init(_ feed: String, events: Int, size: Int = 0) throws {
        self.feed = feed
        log = try MemoryLog(feed: feed, why: "test", at: HubDatabase.clock)
        reader = try log.reader()
        try write(events, size: size)
    }

    func write(_ events: Int, size: Int = 0) throws {
        let text = String(repeating: "x", count: size)
        for number in 0..<events {
            let draft = Draft(Noted(number, text), in: "note/\(number % 50)", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: HubDatabase.clock)
        }
        try log.commit()
    }

    func page(from position: Position, events: Int = 512) throws -> Page {
        let entries = try reader.read(from: position, events: events, bytes: 16 << 20)
        return Page(head: try reader.head(), entries: entries)
    }

    var head: Head { log.head }
}

extension LogReader {
    /// Returns all entries, after verifying that they form one chain that ends at the head.
    func whole() throws -> [Entry] {
        var entries: [Entry] = []
        while true {
            let page = try read(from: Position(entries.count) + 1, events: 512, bytes: 1 << 20)
            if page.isEmpty { break }
            entries += page
        }
        guard let start = try hash(at: 0) else { throw ContractBreach("there is no hash at 0") }
        if let broken = Chain.firstBreak(in: entries, after: start, at: 0) {
            throw ContractBreach("the chain is broken at \(broken)")
        }
        guard entries.last?.hash == (try head().hash) else { throw ContractBreach("the head is another entry") }
        return entries
    }
}
