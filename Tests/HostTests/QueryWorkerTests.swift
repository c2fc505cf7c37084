import EventSourcing
import EventStore
import Synchronization
import TestKit
import Testing
import Vocabulary

@testable import Host

/// A runtime over tables in a file, with the read connection of the query thread.
private final class Counter {
    /// The number of computed responses.
    private final class Computed: Sendable {
        let count = Atomic<Int>(0)
    }

    private let runtime: ServiceRuntime<CountingService>
    private var tables: (any ReadTables)?
    private var shared = SharedResponses()
    private let now = Instant(microseconds: 1_780_000_000_000_000)
    private let prepares: (ServiceRuntime<CountingService>) throws -> Void
    private let counts = Computed()

    /// - Parameter prepares: is called after a commit, before a query is passed on.
    init(_ folder: String, prepares: @escaping (ServiceRuntime<CountingService>) throws -> Void) throws {
        let schemas = Folding<CountingService>.schemas
        runtime = ServiceRuntime(
            service: CountingService(), log: try MemoryLog(feed: "counting/farm-0", why: "test", at: now),
            tables: try SQLiteTables(folder: folder, schemas))
        tables = try SQLiteReadTables(folder: folder, schemas)
        self.prepares = prepares
    }

    var computed: Int { counts.count.load(ordering: .relaxed) }

    /// Runs one command, which is acknowledged when this returns.
    func command(_ number: Int) throws {
        try runtime.take(.asked(ask(number, by: "test", key: "k\(number)")), at: now)
        _ = try runtime.commit()
    }

    /// Returns the number of commands that each query sees; the queries wait together.
    func query(by callers: [String]) throws -> [Int] {
        try prepares(runtime)
        let counts = counts
        let plan = QueryPlan(
            verbs: ["count"], open: { throw LogFailure(operation: "open", message: "it is open already") },
            answer: { _, _, tables in
                counts.count.add(1, ordering: .relaxed)
                return QueryAnswer(Response(status: tables.get(CountRow.self, "ble:01")?.count ?? 0, body: []))
            })
        let jobs = callers.enumerated().map { QueryWorker.Job(ask: ask($0, by: $1, key: nil), now: now) }
        return QueryWorker.answer(jobs, plan, &tables, &shared).map(\.answer.status)
    }

    private func ask(_ id: Int, by caller: String, key: String?) -> Request {
        Request(
            id: UInt64(id), verb: "count", body: [], actor: .service(caller), key: key,
            entropy: Array(repeating: 0, count: 16))
    }
}

@Suite("The query thread")
struct QueryWorkerTests {
    /// Returns the first acknowledged command that the next query does not see; nil if each is seen.
    private func unseen(after prepares: @escaping (ServiceRuntime<CountingService>) throws -> Void) throws -> Int? {
        try withTemporaryDirectory { folder in
            let counter = try Counter(folder, prepares: prepares)
            for number in 1...20 {
                try counter.command(number)
                guard try counter.query(by: ["test"]) == [number] else { return number }
            }
            return nil
        }
    }

    @Test func `a query sees every command that was acknowledged before it`() throws {
        #expect(try unseen { try $0.flush() } == nil)
        // and the mutants are found: without a flush, and with one after every fifth command
        #expect(try unseen { _ in } == 1)
        var turns = 0
        #expect(
            try unseen { runtime in
                turns += 1
                if turns.isMultiple(of: 5) { try runtime.flush() }
            } == 1)
    }

    @Test func `equal queries of one caller that wait together are processed once, from one state`() throws {
        try withTemporaryDirectory { folder in
            let counter = try Counter(folder) { try $0.flush() }
            try counter.command(1)
            let callers = (0..<64).map { $0.isMultiple(of: 2) ? "ada" : "bob" }
            #expect(try counter.query(by: callers) == Array(repeating: 1, count: 64))
            #expect(counter.computed == 2)
            // and the next queries see the later commands
            try counter.command(2)
            #expect(try counter.query(by: callers) == Array(repeating: 2, count: 64))
            #expect(counter.computed == 4)
        }
    }

    @Test func `tables opened for reading refuse changes`() throws {
        try withTemporaryDirectory { folder in
            let schemas = Folding<CountingService>.schemas
            let written = try SQLiteTables(folder: folder, schemas)
            let tables = try SQLiteReadTables(folder: folder, schemas)
            #expect(throws: LogFailure.self) { try tables.read { tables.put(CountRow(key: "ble:01")) } }
            #expect(try tables.read { tables.scan(CountRow.self).count } == 0)
            written.put(CountRow(key: "ble:02"))
            #expect(try tables.read { tables.scan(CountRow.self).count } == 0)
            try written.flush(at: 1)
            #expect(try tables.read { tables.scan(CountRow.self).map(\.key) } == ["ble:02"])
        }
    }
}
