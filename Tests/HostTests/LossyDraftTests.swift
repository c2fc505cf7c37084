import EventSourcing
import EventStore
import Events
import TestKit
import Testing
import Vocabulary
import Wire

/// Drafts whose bytes say less than they do.
@Suite("Lossy drafts")
struct LossyDraftTests {
    @Test func `a draft whose bytes say less has no envelope, so its writer reads it back`() throws {
        let log = try MemoryLog(
            feed: "sensor-ingest/farm-0", why: "test", at: Instant(microseconds: 0), chance: .seeded(1))
        for (value, isWhole) in [(21.5, true), (Double.nan, false), (.infinity, false), (-0.0, true)] {
            let event = RuleSet(
                rule: RuleID("r"), place: .store(StoreID("s")), quantity: .temperature, above: value, below: nil,
                hysteresis: 1, enabled: true)
            let staged = try log.stage(
                Commit([Draft(event, in: "rule/r", by: .service("sensor-ingest"))]), at: Instant(microseconds: 1))
            guard case .written(let entry, let envelope)? = staged.first else {
                Issue.record("\(value) was not written")
                continue
            }
            #expect((envelope != nil) == isWhole, "\(value)")
            let read = try RecordedEvent(reading: entry.bytes)
            if let envelope { #expect(read.envelope == envelope) }
        }
    }
}
