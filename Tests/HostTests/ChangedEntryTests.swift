import EventSourcing
import EventStore
import Testing
import Vocabulary

@testable import Host

/// A change to one entry of a stored journal.
private enum Change: CaseIterable {
    case rewritten, hashRewritten, leftOut

    func made(to entries: [Entry], at position: Position) -> [Entry] {
        entries.compactMap { entry in
            guard entry.position == position else { return entry }
            return switch self {
            case .rewritten: Entry(position: position, hash: entry.hash, bytes: Self.otherwise(entry.bytes))
            case .hashRewritten: Entry(position: position, hash: entry.hash.map { ~$0 }, bytes: entry.bytes)
            case .leftOut: nil
            }
        }
    }

    /// Returns the same report of another device, which can be read and is projected into another row.
    private static func otherwise(_ bytes: [UInt8]) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).replacing("ble:0", with: "ble:9").utf8)
    }
}

/// A reader of a journal in which one entry was changed.
private final class ChangedReader: MirrorReader {
    private let original: any MirrorReader
    private let change: Change
    private let position: Position
    /// Whether the checkpoint was moved back since, so that these entries are former history.
    private let isPast: Bool

    init(_ original: any MirrorReader, _ change: Change, at position: Position, isPast: Bool = false) {
        (self.original, self.change, self.position, self.isPast) = (original, change, position, isPast)
    }

    func head() throws(LogFailure) -> Head { try original.head() }
    func position(of id: UUID) throws(LogFailure) -> Position? { try original.position(of: id) }

    func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
        if isPast { return nil }
        guard let hash = try original.hash(at: position) else { return nil }
        return change == .hashRewritten && position == self.position ? hash.map { ~$0 } : hash
    }

    func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        change.made(to: try original.read(from: position, events: events, bytes: bytes), at: self.position)
    }

    func history(from first: Position, through last: Checkpoint) throws(LogFailure) -> [Entry] {
        change.made(to: try original.history(from: first, through: last), at: position)
    }
}

/// F08. A rebuild projects only what was written, or fails.
@Suite("Rebuilding from a changed entry")
struct ChangedEntryTests {
    private static let now = Instant(microseconds: 1_780_000_000_000_000)
    private static let feed = "sensor-ingest/farm-0"
    private static let events = 40

    private func journal() throws -> (last: Checkpoint, reader: MemoryReader) {
        let log = try MemoryLog(feed: Self.feed, why: "test", at: Self.now)
        for number in 1..<Self.events {
            _ = try log.stage(Commit([CountingService.report("ble:0\(number % 5)", number)]), at: Self.now)
        }
        try log.commit()
        let head = log.head
        return (
            Checkpoint(epoch: head.epoch, position: head.position, hash: head.hash),
            try #require(try log.reader() as? MemoryReader)
        )
    }

    /// Returns the position that the error names; nil without an error.
    private func place(_ body: () throws -> Void) -> Position? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)".firstMatch(of: /breaks at (\d+)/).flatMap { Position($0.output.1) }
        }
    }

    @Test func `a rebuild refuses a changed entry of its own journal, which an unverified fold would project`() throws {
        let (last, reader) = try journal()
        func digests(_ fold: (Folding<CountingService>, MemoryTables) throws -> Void) throws -> [TableDigest] {
            let tables = try MemoryTables(Folding<CountingService>.schemas)
            try fold(Folding<CountingService>(of: Self.feed, into: tables), tables)
            return try tables.digests()
        }
        func verified(_ open: @escaping @Sendable () throws -> any LogReader) throws -> [TableDigest] {
            try digests { folding, tables in
                _ = try folding.fold(
                    on: tables, through: last.position, reading: open, pulling: { _, _, _ in [] },
                    shouldContinue: { _ in true })
            }
        }
        func unverified(_ open: @escaping @Sendable () throws -> any LogReader) throws -> [TableDigest] {
            try digests { folding, _ in
                try folding.fold(
                    from: 1, through: last.position, reading: open, pulling: { _, _, _ in [] }, reached: { _ in })
            }
        }
        let original = try verified { reader }
        #expect(try unverified { reader } == original)
        var (refused, taken, wrong) = (0, 0, 0)
        for change in Change.allCases {
            for position in Position(2)...last.position {
                let open: @Sendable () throws -> any LogReader = { ChangedReader(reader, change, at: position) }
                let reported = place { _ = try verified(open) }
                // After a missing last entry nothing shows the gap; opening a journal verifies its end.
                let isCutOff = change == .leftOut && position == last.position
                #expect(reported == (isCutOff ? nil : position), "\(change) at \(position)")
                if reported != nil { refused += 1 }
                let views = try unverified(open)
                taken += 1
                if views != original { wrong += 1 }
            }
        }
        print("changed entries: \(refused) refused; without verification \(taken) folded, \(wrong) into other views")
        #expect(refused == 3 * (Self.events - 1) - 1 && taken == refused + 1)
        #expect(wrong == 2 * (Self.events - 1))
    }

    @Test(arguments: [false, true])
    func `a rebuild refuses a changed entry of a mirrored journal, also in its former history`(isPast: Bool) throws {
        let (last, reader) = try journal()
        /// Returns the entries after a checkpoint, as a checkpoint event names them.
        func pull(_ mirror: any MirrorReader, after checkpoint: Checkpoint?) throws -> [Entry] {
            try Folding<CountingService>.pull(mirroredBy: { _ in mirror })(Self.feed, checkpoint, last)
        }
        var refused = 0
        for start in [Position(0), 1, 17] {
            let hash = try #require(reader.hash(at: start))
            let checkpoint = start == 0 ? nil : Checkpoint(epoch: last.epoch, position: start, hash: hash)
            #expect(try pull(reader, after: checkpoint).last?.hash == last.hash)
            for change in Change.allCases {
                // The checkpoint event also names the hash of the last entry; if it differs, the entry is in the former
                // history.
                for position in max(start + 1, 2)...last.position {
                    let mirror = ChangedReader(reader, change, at: position, isPast: isPast)
                    let reported = place { _ = try pull(mirror, after: checkpoint) }
                    let isCutOff = change == .leftOut && position == last.position
                    #expect(reported == (isCutOff ? nil : position), "\(change) at \(position) after \(start)")
                    if reported != nil { refused += 1 }
                }
            }
        }
        print("changed entries of a mirror: \(refused) refused")
        #expect(refused >= 250)
    }
}
