import EventSourcing
import Foundation
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

/// F07: a flipped bit in a journal's file is detected, or every event still reads the same.
@Suite("Flipped bits in a journal")
struct FlipTests {
    private static let feed = "test/farm-0"
    private static let now = Instant(microseconds: 1_777_792_500_000_000)
    private static let flips = 20_000

    private enum Outcome { case found, missed, identical, wrong }

    /// Writes and closes a journal whose events fill several pages of each table, and returns its path. Its WAL is
    /// empty.
    private func made(_ folder: String) throws -> String {
        let log = try SQLiteLog(
            directory: folder, feed: Self.feed, why: "test", at: Self.now, chance: .seeded(7))
        for number in 1..<60 {
            let draft = Draft(Noted(number, "note \(number)"), in: "note/\(number % 7)", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: Self.now)
        }
        try log.commit()
        try log.close()
        return log.path
    }

    private func whole(_ path: String) throws(LogFailure) -> (entries: [Entry], start: [UInt8]?) {
        let reader = try SQLiteReader(path: path)
        return (try reader.read(from: 1, events: 1_000, bytes: .max), try reader.hash(at: 0))
    }

    /// Compares what a reader returns for the file with the entries that were written.
    private func outcome(_ path: String, _ honest: [Entry], checking isChecking: Bool) -> Outcome {
        do throws(LogFailure) {
            let (entries, start) = try whole(path)
            if isChecking {
                guard let start, Chain.firstBreak(in: entries, after: start, at: 0) == nil else { return .found }
            }
            if entries == honest { return .identical }
            // The chain is intact but shorter. A subscriber detects this, because it has stored a later position.
            return entries == Array(honest.prefix(entries.count)) ? .missed : .wrong
        } catch {
            return .found
        }
    }

    @Test func `the hash chain detects every flipped bit that changes an event`() throws {
        // In memory if the machine has /dev/shm, so that 20,000 reads do not load the disk.
        let isShared = FileManager.default.isWritableFile(atPath: "/dev/shm")
        let folder = "\(isShared ? "/dev/shm" : "/tmp")/furrow-flips-\(Foundation.UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        let path = try made(folder)
        let honest = try whole(path).entries
        #expect(honest.count == 60)
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        var random = SplitMix64(seed: 7)
        var counts: [Outcome: Int] = [:]
        var wrong: [String] = []
        var wrongUnchecked = 0
        for number in 0..<Self.flips {
            let (index, bit) = (Int.random(in: 0..<sound.count, using: &random), Int.random(in: 0..<8, using: &random))
            func write(_ byte: UInt8) throws {
                try file.seek(toOffset: UInt64(index))
                try file.write(contentsOf: Data([byte]))
            }
            try write(sound[index] ^ 1 << bit)
            let found = outcome(path, honest, checking: true)
            counts[found, default: 0] += 1
            if found == .wrong { wrong.append("byte \(index) bit \(bit)") }
            // The mutant reads without verifying the chain.
            if number.isMultiple(of: 10), outcome(path, honest, checking: false) == .wrong { wrongUnchecked += 1 }
            try write(sound[index])
            for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let (found, missed, identical) = (counts[.found] ?? 0, counts[.missed] ?? 0, counts[.identical] ?? 0)
        print(
            """
            flips of a journal's file of \(sound.count) bytes: \(found) found, \(missed) that hide its end found \
            by an earlier reader, \(identical) read the same, \(wrong.count) wrong; without the chain \
            \(wrongUnchecked) wrong of a tenth
            """)
        #expect(wrong.prefix(5) == [])
        #expect(found + missed + identical == Self.flips && found >= 5_000 && identical >= 1_000)
        #expect(missed < 200 && wrongUnchecked > 100)
    }
}
