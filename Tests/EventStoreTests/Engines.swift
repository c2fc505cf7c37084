import EventSourcing
import EventStore
import TestKit
import Vocabulary

/// The journal engines that run in this process without a server, each under the same contract.
enum Engine: String, CaseIterable, CustomStringConvertible, Sendable {
    case memory, sqlite, sealed

    var description: String { rawValue }

    /// Runs `body` with a harness whose journals are deleted when it returns.
    func withLogs(_ body: (EventLogHarness) async throws -> Void) async throws {
        switch self {
        case .memory:
            try await body(Engine.memoryHarness)
        case .sqlite:
            try await withTemporaryDirectory { folder in try await body(Engine.sqliteHarness(in: folder)) }
        case .sealed:
            try await withTemporaryDirectory { folder in try await body(SealedLog.harness(in: folder)) }
        }
    }

    /// Runs `body` with a harness whose view tables are deleted when it returns.
    func withTables(_ body: (TablesHarness) async throws -> Void) async throws {
        switch self {
        case .memory:
            try await body(TablesHarness { schemas in try MemoryTables(schemas) })
        case .sqlite, .sealed:
            try await withTemporaryDirectory { folder in
                var number = 0
                try await body(
                    TablesHarness(
                        create: { schemas in
                            number += 1
                            return try SQLiteTables(path: "\(folder)/views\(number).db", schemas)
                        },
                        reopen: { store, schemas in
                            number += 1
                            // Copies the files as they are, with any open transaction.
                            let copy = "\(folder)/views\(number).db"
                            try copyDatabase((store as? SQLiteTables)?.path ?? "", to: copy)
                            return try SQLiteTables(path: copy, schemas)
                        }))
            }
        }
    }

    static var memoryHarness: EventLogHarness {
        EventLogHarness(
            create: { now in try MemoryLog(feed: "test/farm-0", why: "test", at: now) },
            crash: { log, _ in try memory(log).crash() },
            readers: { log in
                let reader = try memory(log).reader()
                guard let reader = reader as? MemoryReader else { throw ContractBreach("not a memory reader") }
                return { reader }
            })
    }

    static func memory(_ log: any EventLog) throws -> MemoryLog {
        guard let log = log as? MemoryLog else { throw ContractBreach("not a memory log") }
        return log
    }

    /// A harness of SQLite journals. A crash copies the files as they are, with any open transaction, and opens the
    /// copy.
    static func sqliteHarness(in folder: String) -> EventLogHarness {
        var number = 0
        return EventLogHarness(
            create: { now in
                number += 1
                let place = "\(folder)/\(number).db"
                return try SQLiteLog(path: place, feed: "test/farm-0", why: "test", at: now)
            },
            crash: { log, now in
                guard let log = log as? SQLiteLog else { throw ContractBreach("not a SQLite log") }
                number += 1
                let place = "\(folder)/\(number).db"
                try copyDatabase(log.path, to: place)
                return try SQLiteLog(path: place, feed: "test/farm-0", why: "not new", at: now)
            },
            readers: { log in
                let path = (log as? SQLiteLog)?.path ?? ""
                return { try SQLiteReader(path: path) }
            })
    }
}
