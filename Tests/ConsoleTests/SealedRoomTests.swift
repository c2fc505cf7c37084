import EventSourcing
import EventStore
import Foundation
import SQLite
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// The disk space of the demonstration's day once it is sealed.
@Suite("Size of a sealed day")
struct SealedRoomTests {
    @Test func `a sealed day takes at most a quarter of its JSON, including ids and hashes`() throws {
        try withTemporaryDirectory { folder in
            let now = Instant(microseconds: 1_780_000_000_000_000)
            let path = "\(folder)/\(SQLiteLog.fileName)"
            let log = try SQLiteLog(path: path, feed: "sensor-ingest/farm-0", why: "test", at: now)
            let day = BenchEvents()
            for start in stride(from: 0, to: BenchEvents.day, by: 256) {
                var drafts = (start..<min(start + 256, BenchEvents.day)).map(day.draft)
                // As for reports: their ids are derived from the received bytes, so they are at random places of the
                // index.
                for index in drafts.indices { drafts[index].id = .named("\(start + index)", in: .furrow) }
                _ = try log.stage(Commit(drafts), at: now)
                try log.commit()
            }
            let place = SegmentDirectory(ofJournal: path)
            while let run = try SealedRun.due(in: log) {
                let made = try SealedRun.make(run, reading: log.reader(), in: place)
                _ = try log.stage(Commit(made.drafts), at: now)
                try log.hand(over: made)
                try log.commit()
                while try log.dropSealed() {}
            }
            let names = try place.names()
            var (packed, text, events) = (0, 0, 0)
            for name in names {
                let segment = try Segment(path: "\(place.path)/\(name)")
                packed += segment.note.count + segment.head.bodyBytes
                for block in segment.head.blocks.indices {
                    for entry in try segment.entries(inBlock: block) {
                        text += entry.bytes.count
                        events += 1
                    }
                }
            }
            let database = try Database(path: path, mode: .reader)
            let sums = try database.query("SELECT sum(pgsize) FROM dbstat WHERE name = 'sealed'")
            guard case .integer(let ids)? = sums.first?.first else { throw Refusal("The ids are nowhere.") }
            let share = Double(packed + Int(ids)) / Double(text)
            print(
                "sealed: \(events) events of \(text / events) bytes in \(names.count) segments: \(packed / events) bytes "
                    + "each, and \(Int(ids) / events) for its id; \((share * 1000).rounded() / 1000) of the JSON")
            #expect(events == 8 * StoreLimits.sealEvents)
            #expect(share <= 0.25)
        }
    }
}
