import EventSourcing
import EventStore
import Foundation
import TestKit
import Testing
import Vocabulary

@Suite("Journals with a preallocated WAL")
struct ReservedLogTests {
    private static let feed = "test/farm-0"
    private static let now = Instant(microseconds: 1_777_000_000_000_000)

    private func draft(_ number: Int) -> Draft {
        Draft(Noted(number), in: "note/\(number % 3)", by: .service("test"))
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    @Test func `a preallocated WAL preserves every commit after a crash and is emptied on close`() throws {
        try withTemporaryDirectory { folder in
            let log = try SQLiteLog(directory: folder, feed: Self.feed, why: "test", at: Self.now)
            log.reserve()
            let wal = "\(log.path)-wal"
            try #require(try size(wal) == StoreLimits.walBytesReserved, "there is less than 1 GiB free")
            for number in 0..<60 {
                _ = try log.stage(Commit([draft(number)]), at: Self.now)
                try log.commit()
            }
            #expect(try size(wal) == StoreLimits.walBytesReserved)
            try copyDatabase(log.path, to: "\(folder)/copy.db")
            let survivor = try SQLiteLog(path: "\(folder)/copy.db", feed: Self.feed, why: "", at: Self.now)
            #expect(survivor.head == log.head)
            survivor.reserve()
            _ = try survivor.stage(Commit([draft(60)]), at: Self.now)
            try survivor.commit()
            #expect(try survivor.reader().head() == survivor.head)
            try log.close()
            #expect(try !FileManager.default.fileExists(atPath: wal) || size(wal) == 0)
        }
    }

    @Test func `a torn preallocated WAL loses whole commits from its end only`() throws {
        try withTemporaryDirectory { folder in
            let log = try SQLiteLog(directory: folder, feed: Self.feed, why: "test", at: Self.now)
            log.reserve()
            for number in 0..<60 {
                _ = try log.stage(Commit([draft(number)]), at: Self.now)
                try log.commit()
            }
            let whole = try Data(contentsOf: URL(fileURLWithPath: "\(log.path)-wal"))
            let used = (whole.lastIndex { $0 != 0 } ?? 0) + 1
            var chance = SplitMix64(seed: 21)
            var heads: Set<Position> = []
            for number in 0..<40 {
                let path = "\(folder)/torn-\(number).db"
                try FileManager.default.copyItem(atPath: log.path, toPath: path)
                let end = Int.random(in: used / 10..<used, using: &chance)
                // Bytes that were not synced are zeros, because the WAL was preallocated.
                let torn = whole.prefix(end) + Data(count: 64 * 1024)
                try torn.write(to: URL(fileURLWithPath: path + "-wal"))
                let reopened = try SQLiteLog(path: path, feed: Self.feed, why: "", at: Self.now)
                #expect(try log.reader().hash(at: reopened.head.position) == reopened.head.hash)
                heads.insert(reopened.head.position)
            }
            print("torn WALs: 40, ending at \(heads.count) positions")
            #expect(heads.count > 10)
        }
    }
}
