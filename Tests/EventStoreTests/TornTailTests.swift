import EventSourcing
import Foundation
import SQLite
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

/// A journal whose last three commits are in its WAL only, with the length of the WAL after each commit.
private struct Torn {
    static let feed = "test/farm-0"
    static let now = Instant(microseconds: 1_777_792_500_000_000)
    /// The size of a frame: a page with a header of 24 bytes. The WAL itself has a header of 32 bytes.
    static let frame = 4096 + 24

    let folder: String
    let database: Data
    let wal: Data
    /// The end of the WAL after each commit, and the head then.
    let ends: [(bytes: Int, head: Head)]
    let log: SQLiteLog

    init(in folder: String) throws {
        self.folder = folder
        log = try SQLiteLog(path: "\(folder)/whole.db", feed: Self.feed, why: "test", at: Self.now)
        for number in 0..<20 { try Self.write(number, to: log) }
        try log.close()
        let log = try SQLiteLog(path: "\(folder)/whole.db", feed: Self.feed, why: "test", at: Self.now)
        var ends: [(bytes: Int, head: Head)] = [(0, log.head)]
        for number in 20..<23 {
            try Self.write(number, to: log)
            ends.append((Self.written(try Data(contentsOf: URL(fileURLWithPath: log.path + "-wal"))), log.head))
        }
        self.ends = ends
        database = try Data(contentsOf: URL(fileURLWithPath: log.path))
        let wal = try Data(contentsOf: URL(fileURLWithPath: log.path + "-wal"))
        self.wal = Data(wal.prefix(Self.written(wal)))
        kept = log
    }

    /// The open journal. While it is open, the WAL is not emptied.
    private let kept: SQLiteLog

    /// Returns the end of the frames of the current run: those with the salts of the WAL's header. The file may be
    /// longer,
    /// because it is preallocated.
    private static func written(_ wal: Data) -> Int {
        var end = 32
        while end + frame <= wal.count, wal[end + 8..<end + 16] == wal[16..<24] { end += frame }
        return end
    }

    private static func write(_ number: Int, to log: SQLiteLog) throws {
        _ = try log.stage(Commit([Draft(Noted(number, "x"), in: "note/a", by: .service("test"))]), at: now)
        try log.commit()
    }

    /// Returns the head that a reader, or a new writer, finds if it opens the journal with that WAL.
    func head(with wal: Data, forWriting: Bool = false) throws -> Head {
        let path = "\(folder)/torn.db"
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        try database.write(to: URL(fileURLWithPath: path))
        try wal.write(to: URL(fileURLWithPath: path + "-wal"))
        guard forWriting else { return try SQLiteReader(path: path).head() }
        return try SQLiteLog(path: path, feed: Self.feed, why: "test", at: Self.now).head
    }

    /// Returns the head that is required if the first `bytes` of the WAL are intact.
    func expected(_ bytes: Int) -> Head { ends.last { $0.bytes <= bytes }?.head ?? ends[0].head }
}

/// F06: a write may be torn at any byte. Earlier commits are intact, and nothing of the torn commit is read.
@Suite("Torn writes")
struct TornTailTests {
    @Test func `a journal torn at any byte reopens at its last whole commit`() throws {
        try withTemporaryDirectory { folder in
            let torn = try Torn(in: folder)
            let first = torn.wal.count - 3 * Torn.frame
            #expect(first > 32)
            var wrong: [String] = []
            var (cuts, zeros, garbage) = (0, 0, 0)
            var random = SplitMix64(seed: 6)
            for end in first...torn.wal.count {
                let kept = torn.wal.prefix(end)
                if try torn.head(with: kept) != torn.expected(end) { wrong.append("cut at \(end)") }
                cuts += 1
                if end % 64 == 0, try torn.head(with: kept, forWriting: true) != torn.expected(end) {
                    wrong.append("cut at \(end), for the writer")
                }
                // A file system may also record the length without the bytes: zeros, or earlier contents of the blocks.
                guard end % 8 == 0, end < torn.wal.count else { continue }
                let missing = torn.wal.count - end
                let zeroed = kept + Data(repeating: 0, count: missing)
                if try torn.head(with: zeroed) != torn.expected(whole(zeroed, torn, end)) {
                    wrong.append("0 at \(end)")
                }
                zeros += 1
                let dirty = kept + Data((0..<missing).map { _ in UInt8.random(in: 0...255, using: &random) })
                if try torn.head(with: dirty) != torn.expected(end) { wrong.append("garbage at \(end)") }
                garbage += 1
            }
            print("torn tails: \(cuts) cuts, \(zeros) with zeros, \(garbage) with garbage behind")
            #expect(wrong.prefix(5) == [])
            #expect(cuts >= 12_000 && zeros >= 1_500 && garbage >= 1_500)
        }
    }

    /// Returns how many bytes are intact: a zero that replaces a zero changes nothing.
    private func whole(_ wal: Data, _ torn: Torn, _ end: Int) -> Int {
        var end = end
        while end < wal.count, wal[end] == torn.wal[end] { end += 1 }
        return end
    }

    @Test func `the comparison fails if a torn commit becomes readable again`() throws {
        try withTemporaryDirectory { folder in
            let torn = try Torn(in: folder)
            let last = try #require(torn.ends.last)
            #expect(try torn.head(with: torn.wal) == last.head)
            #expect(torn.expected(last.bytes - 1) != last.head)
        }
    }
}
