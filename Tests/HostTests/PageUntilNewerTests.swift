import EventSourcing
import EventStore
import Events
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("A page with events of a newer build")
struct PageUntilNewerTests {
    @Test func `a page is read up to the first event that only a newer build can read`() throws {
        let now = Instant(microseconds: 1_780_000_000_000_000)
        let log = try MemoryLog(feed: "other/farm-0", why: "test", at: now)
        for number in 0..<5 {
            let event = AlarmCleared(
                rule: RuleID("r"), point: PointID("p"), place: .store(StoreID("s")), device: DeviceID("ble:1"),
                quantity: .battery, value: Double(number))
            _ = try log.stage(Commit([Draft(event, in: "alarm/a", by: .service("other"))]), at: now)
        }
        try log.commit()
        var entries = try log.reader().read(from: 1, events: 10, bytes: .max)
        let whole = Page(head: log.head, entries: entries)
        #expect(whole.untilNewer.newer == nil && whole.untilNewer.page.entries.count == 6)
        let text = String(decoding: entries[3].bytes, as: UTF8.self)
        let newer = text.replacing("alarm-cleared.v1", with: "alarm-cleared.v2")
        entries[3] = Entry(position: 4, hash: entries[3].hash, bytes: Array(newer.utf8))
        let cut = Page(head: log.head, entries: entries).untilNewer
        #expect(cut.page.entries.map(\.position) == [1, 2, 3])
        #expect(cut.newer?.name == AlarmCleared.name.replacing("v1", with: "v2"))
        #expect(cut.newer?.known == 1)
    }
}
