import System
import Testing
import Vocabulary

@testable import Console

@Suite("The schedule of backups")
struct BackupScheduleTests {
    /// 14 July 2026, 00:00 UTC.
    private let midnight = Instant(microseconds: 1_783_987_200_000_000)

    private func at(_ hours: Double) -> Instant { midnight.advanced(bySeconds: hours * 3_600) }

    private func isDue(_ hours: Double, last: Double?, tried: Double? = nil, began: Double = -100) -> Bool {
        BackupSchedule(began: at(began))
            .isDue(at: at(hours), in: .utc, last: last.map(at), tried: tried.map(at))
    }

    @Test func `a backup is due at two o'clock, once a night`() {
        #expect(!isDue(1.9, last: -22) && isDue(2.0, last: -22) && isDue(2.9, last: -22) && !isDue(3, last: -22))
        #expect(!isDue(2.5, last: 2.1), "tonight's was made")
        #expect(!isDue(2.5, last: -6), "yesterday evening's does for the night")
    }

    @Test func `a night that was missed is made up for at any hour`() {
        #expect(!isDue(3.9, last: -22) && isDue(4.1, last: -22) && isDue(13, last: -100))
    }

    @Test func `a failed attempt is repeated after a quarter of an hour`() {
        #expect(!isDue(13, last: -100, tried: 12.8) && isDue(13, last: -100, tried: 12.7))
        #expect(isDue(13, last: -100, tried: 14), "the clock was set back")
    }

    @Test func `a farm server without a backup gets one before the doctor misses it`() {
        #expect(!isDue(0.8, last: nil, began: 0) && isDue(0.9, last: nil, began: 0))
    }

    @Test func `a backup of the future, of a wrong clock, does not stand in for tonight's`() {
        #expect(isDue(13, last: 1_000) && !isDue(13, last: 20))
    }

    @Test func `two o'clock is that of the machine's zone`() throws {
        let zone = try #require(ZoneFile.read("Asia/Tashkent").flatMap(Zone.init(file:)))
        let schedule = BackupSchedule(began: at(-100))
        // 21:00 UTC is two o'clock five hours to the east.
        #expect(schedule.isDue(at: at(21.5), in: zone, last: at(-2), tried: nil))
        #expect(!schedule.isDue(at: at(2.5), in: zone, last: at(-20), tried: nil))
    }
}
