import EventSourcing
import EventStore
import HubStore
import TestKit
import Testing
import Vocabulary

@Suite("Hub growth")
struct HubGrowthTests {
    /// Records one event every `minutes` for some days, and returns the time of the last.
    private func record(_ days: Int, everyMinutes minutes: Int, from start: Instant, in log: HubLog) throws -> Instant {
        var time = start
        for number in 0..<(days * 1440 / minutes) {
            time = time.advanced(bySeconds: Double(minutes) * 60)
            _ = try log.stage(Commit([Draft(Noted(number), in: "note/a", by: .service("test"))]), at: time)
        }
        try log.commit()
        return time
    }

    @Test func `the growth of a hub is measured over its last seven days`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        #expect(try HubReader(database.conninfo).growth().eventsPerDay == nil, "a farm of no age")
        var time = try record(3, everyMinutes: 30, from: HubDatabase.clock, in: log)
        let young = try HubReader(database.conninfo).growth()
        #expect(young.eventsPerDay == 48 && young.seenDays == 3 && young.newest == time)
        time = try record(30, everyMinutes: 60, from: time, in: log)
        time = try record(7, everyMinutes: 10, from: time, in: log)
        let growth = try HubReader(database.conninfo).growth()
        #expect(growth.eventsPerDay == 144 && growth.seenDays == 7 && growth.newest == time && growth.bytes > 0)
    }
}
