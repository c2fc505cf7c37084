import Crypto
import EventSourcing
import EventStore
import HubStore
import Postgres
import SQLite
import TestKit
import Vocabulary

@testable import Host

/// A service's journal and views in one kind of storage, opened by different builds of the service.
final class Workshop {
    enum Storage: String, CaseIterable, Sendable { case sqlite, postgres }

    static let now = Instant(microseconds: 1_780_000_000_000_000)

    let viewStore: any ViewStore
    let feed: String
    let reading: @Sendable () throws -> any LogReader
    /// The journal that the service subscribes to.
    let hub: MemoryLog
    private let open: ([TableSchema]) throws -> (any EventLog, any TableStore)
    private var heard: Position = 0
    private var asked = 0
    private let folder: Folder

    init(_ storage: Storage) throws {
        let folder = try Folder()
        self.folder = folder
        hub = try MemoryLog(feed: "other/farm-0", why: "test", at: Self.now)
        switch storage {
        case .sqlite:
            let feed = "tally/farm-0"
            self.feed = feed
            viewStore = SQLiteViewStore(folder.path)
            reading = { try SQLiteReader(path: folder("journal.db")) }
            open = { schemas in
                (
                    try SQLiteLog(directory: folder.path, feed: feed, why: "test", at: Self.now),
                    try SQLiteTables(folder: folder.path, schemas)
                )
            }
        case .postgres:
            let cluster = try PostgresCluster.shared.get()
            let name = "t_\(Hex.encode(Random.bytes(8)))"
            try Connection(cluster.conninfo).execute("CREATE DATABASE \(name)")
            let conninfo = cluster.conninfo(database: name)
            feed = "trace-ledger/farm-0"
            viewStore = ViewSchemas(conninfo)
            reading = { try OriginReader(ownOf: conninfo) }
            open = { schemas in
                let log = try HubLog(conninfo, feed: "trace-ledger/farm-0", why: "test", at: Self.now)
                return (log, try log.tables(schemas))
            }
        }
    }

    /// Starts a build: opens the storage, and projects the journal's entries after the views' position.
    func start<S: Tallying>(_ type: S.Type, _ service: S) throws -> (core: ServiceRuntime<S>, foldedFrom: Position) {
        let (log, tables) = try open(Folding<S>.schemas)
        let from = tables.position
        _ = try Folding<S>(of: feed, into: tables).fold(
            on: tables, through: log.head.position, reading: reading, pulling: pull, shouldContinue: { _ in true })
        return (ServiceRuntime(service: service, log: log, tables: tables), from)
    }

    /// Sends requests, with pages of the other journal between them; each event has its own number.
    func work<S: Tallying>(_ core: ServiceRuntime<S>, events: Int) throws {
        let end = asked + events
        while asked < end {
            asked += 1
            let ask = Request(
                id: UInt64(asked), verb: "count", body: [], actor: .service("test"), key: "k\(asked)",
                entropy: Array(repeating: 0, count: 16))
            try core.take(.asked(ask), at: Self.now)
            if asked.isMultiple(of: 5) {
                for number in 1...3 {
                    let report = Tally.report("ble:\(10 + asked % 40)", asked * 10 + number)
                    _ = try hub.stage(Commit([report]), at: Self.now)
                }
                try hub.commit()
                let page = try hub.reader().entries(from: heard + 1, through: hub.head.position)
                heard = hub.head.position
                try core.consume(Page(head: hub.head, entries: page), at: Self.now)
            }
            if asked.isMultiple(of: 50) { _ = try core.commit() }
        }
        _ = try core.commit()
        try core.flush()
    }

    func pull(_ feed: String, _ checkpoint: Checkpoint?, _ last: Checkpoint) throws -> [Entry] {
        try PagePrefetcher(hub.reader()).entries(after: checkpoint, through: last)
    }

    func rebuild<S: Tallying>(_ type: S.Type) -> Rebuild<S> {
        Rebuild<S>(of: feed, in: viewStore, reading: reading, pulling: pull)
    }

    /// Returns the digests after projecting everything into empty tables.
    func fromNothing<S: Tallying>(_ type: S.Type) throws -> [TableDigest] {
        let tables = try MemoryTables(Folding<S>.schemas)
        let head = try reading().head().position
        _ = try Folding<S>(of: feed, into: tables).fold(
            on: tables, through: head, reading: reading, pulling: pull, shouldContinue: { _ in true })
        return try tables.digests()
    }
}
