import Crypto
import EventSourcing
import SQLite
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

/// The changes that an attacker with write access to a journal's file makes.
private enum Forgery: CaseIterable {
    case deleted, swapped, inserted, rewritten, hashRewritten, moved, headCut, chainRewritten

    /// Whether the journal's own chain shows the change. If not, only the stored checkpoint of a subscriber does.
    var breaksChain: Bool { self != .headCut && self != .chainRewritten }
}

/// F08: every change of a recorded event is detected, also if the forger can write the file.
@Suite("Forged journals")
struct ForgeryTests {
    private static let feed = "test/farm-0"
    private static let now = Instant(microseconds: 1_777_792_500_000_000)
    private static let events = 60

    private func made(_ folder: String) throws -> String {
        let log = try SQLiteLog(directory: folder, feed: Self.feed, why: "test", at: Self.now)
        for number in 1..<Self.events {
            _ = try log.stage(
                Commit([Draft(Noted(number, "x"), in: "note/\(number % 3)", by: .service("test"))]), at: Self.now)
        }
        try log.commit()
        try log.close()
        return log.path
    }

    /// Returns all entries, and the first position at which the hash chain is broken.
    private func read(_ path: String) throws -> (entries: [Entry], broken: Position?) {
        let reader = try SQLiteReader(path: path)
        let start = try #require(try reader.hash(at: 0))
        let entries = try reader.read(from: 1, events: 1_000, bytes: .max)
        return (entries, Chain.firstBreak(in: entries, after: start, at: 0))
    }

    private func forge(_ forgery: Forgery, at position: Int, in path: String) throws {
        let database = try Database(path: path, mode: .writer)
        let next = position % (Self.events - 1) + 1
        switch forgery {
        case .deleted: try database.execute("DELETE FROM entry WHERE pos = \(position)")
        case .swapped:
            try database.execute(
                """
                UPDATE entry SET pos = -1 WHERE pos = \(position);
                UPDATE entry SET pos = \(position) WHERE pos = \(next); UPDATE entry SET pos = \(next) WHERE pos = -1
                """)
        case .inserted:
            try database.execute(
                """
                UPDATE entry SET pos = -pos - 1 WHERE pos >= \(position); UPDATE entry SET pos = -pos WHERE pos < 0;
                INSERT INTO entry SELECT \(position), stream, 900, randomblob(16), hash, bytes FROM entry WHERE pos = 1
                """)
        case .rewritten:
            try database.execute(
                "UPDATE entry SET bytes = replace(CAST(bytes AS TEXT), 'x', 'y') WHERE pos = \(position)")
            // The first entry describes the journal itself and has no text to replace.
            try database.execute("UPDATE entry SET bytes = CAST(bytes AS BLOB) WHERE pos = \(position)")
        case .hashRewritten: try database.execute("UPDATE entry SET hash = randomblob(32) WHERE pos = \(position)")
        case .moved: try database.execute("UPDATE entry SET pos = \(Self.events + 7) WHERE pos = \(position)")
        case .headCut: try database.execute("DELETE FROM entry WHERE pos >= \(position)")
        case .chainRewritten: try rewriteChain(from: position, in: database)
        }
        try database.checkpoint(truncate: true)
    }

    /// Recomputes every hash from the position on, as a forger who knows the chain would.
    private func rewriteChain(from position: Int, in database: Database) throws {
        let rows = try database.query("SELECT pos, hash, bytes FROM entry WHERE pos >= \(position - 1) ORDER BY pos")
        var hash: [UInt8] = []
        for row in rows {
            guard case .integer(let place) = row[0], case .blob(let kept) = row[1], case .blob(var bytes) = row[2]
            else {
                continue
            }
            if place < position {
                hash = kept
                continue
            }
            if place == position, let last = bytes.lastIndex(of: UInt8(ascii: "x")) { bytes[last] = UInt8(ascii: "y") }
            hash = SHA256.hash(hash, bytes)
            _ = try database.query(
                "UPDATE entry SET hash = ?, bytes = ? WHERE pos = ?", [.blob(hash), .blob(bytes), .integer(place)])
        }
    }

    @Test func `every forgery breaks the hash chain or contradicts an earlier checkpoint`() throws {
        try withTemporaryDirectory { folder in
            let path = try made(folder)
            let honest = try read(path)
            #expect(honest.broken == nil && honest.entries.count == Self.events)
            let file = try File.read(path, limit: 10 << 20)
            var counts: [Forgery: Int] = [:]
            var missed: [String] = []
            for forgery in Forgery.allCases {
                for position in 2..<Self.events - 1 {
                    for suffix in ["-wal", "-shm"] { try File.remove(path + suffix) }
                    try File.writeAtomically(path, file, mode: 0o600)
                    try forge(forgery, at: position, in: path)
                    let (entries, broken) = try read(path)
                    // An earlier reader has stored a position and its hash.
                    let isWitnessed =
                        entries.count < honest.entries.count
                        || entries[Self.events - 1].hash != honest.entries[Self.events - 1].hash
                    let isFound = forgery.breaksChain ? broken == Position(position) : broken == nil && isWitnessed
                    if !isFound { missed.append("\(forgery) at \(position): \(broken.map { "\($0)" } ?? "nothing")") }
                    counts[forgery, default: 0] += 1
                }
            }
            let total = counts.values.reduce(0, +)
            print("forgeries: \(total) of \(counts.count) kinds, \(missed.count) not detected")
            #expect(missed.prefix(5) == [])
            #expect(total >= 450 && counts.count == Forgery.allCases.count)
        }
    }
}
