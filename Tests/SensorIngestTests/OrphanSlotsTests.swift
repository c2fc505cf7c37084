import EventSourcing
import EventStore
import Events
import Host
import System
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Orphaned slots")
struct OrphanSlotsTests {
    private let start = Instant(microseconds: 1_780_000_000_000_000)

    /// Creates a slot with this number of events, whose process is gone.
    private func leave(_ slot: Int, in folder: String, events: Int) throws {
        try Directory.create("\(folder)/\(slot)", mode: 0o700)
        let log = try SQLiteLog(
            directory: "\(folder)/\(slot)", feed: "sensor-ingest/farm-\(slot)", why: "test", at: start)
        for number in 0..<events {
            let event = BeaconHeard(beacon: "b\(number)", device: DeviceID("ble:1"), source: "test")
            _ = try log.stage(Commit([Draft(event, in: "test", by: .service("test"))]), at: start)
        }
        try log.commit()
    }

    /// Returns the journals that are served and the slots that are reported, for slots besides 9, checked every second
    /// for 20 s.
    private func watch(_ folder: String, read: [Int: Position] = [:]) throws -> (served: [String], reported: [Int?]) {
        var (served, reported): ([String], [Int?]) = ([], [])
        var orphans = OrphanSlots(
            in: folder, besides: 9, errorReporter: ErrorReporter { slot, _ in reported.append(slot) })
        for second in 0..<20 {
            let free = try orphans.free(at: Int64(second) * 1_000_000)
            orphans.tend(free, read: read) { path in
                served.append(path)
                return {}
            }
        }
        return (served, reported)
    }

    @Test func `orphaned slots with unread events are served after they were free for a while`() throws {
        try withTemporaryDirectory { folder in
            for slot in [1, 2, 9] { try leave(slot, in: folder, events: 3) }
            let (served, reported) = try watch(folder, read: [2: 4])
            #expect(served == ["\(folder)/1/\(SQLiteLog.fileName)"])
            #expect(reported.isEmpty)
        }
    }

    @Test func `a slot with a damaged journal is reported once and does not affect the others`() throws {
        try withTemporaryDirectory { folder in
            try Directory.create("\(folder)/0", mode: 0o700)
            try File.writeAtomically("\(folder)/0/\(SQLiteLog.fileName)", [], mode: 0o600)
            for slot in [1, 2] { try leave(slot, in: folder, events: 3) }
            let (served, reported) = try watch(folder)
            #expect(served.sorted() == [1, 2].map { "\(folder)/\($0)/\(SQLiteLog.fileName)" })
            #expect(reported == [0])
        }
    }

    @Test func `an orphaned slot is released when the hub has read it`() throws {
        try withTemporaryDirectory { folder in
            try leave(1, in: folder, events: 3)
            var orphans = OrphanSlots(in: folder, besides: 9, errorReporter: ErrorReporter { _, _ in })
            var ended = 0
            let serve: OrphanSlots.Serve = { _ in { ended += 1 } }
            _ = try orphans.free(at: 0)
            orphans.tend(try orphans.free(at: 6_000_000), read: [:], serve: serve)
            #expect(orphans.isServing)
            // The slot is locked here, so that no other process can take it.
            #expect(try Slot.take(1, below: folder) == nil)
            orphans.tend(try orphans.free(at: 7_000_000), read: [1: 4], serve: serve)
            #expect(!orphans.isServing && ended == 1)
            #expect(try Slot.take(1, below: folder) != nil)
        }
    }

    @Test func `an error of a slot is reported again only after it changed or was gone`() {
        var reported: [String] = []
        var errorReporter = ErrorReporter { slot, reason in reported.append("\(slot ?? -1) \(reason)") }
        for error in [Trouble.disk, .disk, .lock, .disk] { errorReporter.take(error, of: 1) }
        errorReporter.take(nil, of: 1)
        errorReporter.take(Trouble.disk, of: 1)
        errorReporter.take(Trouble.disk, of: nil)
        #expect(reported == ["1 disk", "1 lock", "1 disk", "1 disk", "-1 disk"])
    }

    private enum Trouble: Error { case disk, lock }
}
