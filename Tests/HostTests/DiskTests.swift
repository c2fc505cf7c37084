import EventSourcing
import EventStore
import Events
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("Disk thresholds and ballast")
struct DiskTests {
    private static let mebi: UInt64 = 1 << 20

    @Test(arguments: [
        (free: 204_800, total: 1_024_000, level: "enough"), (free: 101_376, total: 1_024_000, level: "low"),
        (free: 2_048, total: 8_192, level: "enough"), (free: 1_024, total: 4_096, level: "enough"),
        (free: 1_023, total: 4_096, level: "low"), (free: 512, total: 4_096, level: "low"),
        (free: 0, total: 4_096, level: "low"),
    ])
    func `a disk is low if less than a tenth or a gibibyte is free`(free: UInt64, total: UInt64, level: String) {
        let space = DiskSpace(free: free * Self.mebi, total: total * Self.mebi)
        #expect("\(DiskThresholds().level(space, hasBallast: true))" == level)
        #expect(DiskThresholds().level(space, hasBallast: false) == .full)
    }

    @Test func `the larger of both thresholds decides whether a disk is low`() {
        let (small, large) = (DiskSpace(free: 512, total: 4_096), DiskSpace(free: 101_376, total: 1_024_000))
        let (bytes, percent) = (DiskThresholds(freePercent: 0), DiskThresholds(freeBytes: 0))
        func level(_ thresholds: DiskThresholds, _ space: DiskSpace) -> DiskThresholds.Level {
            thresholds.level(DiskSpace(free: space.free * Self.mebi, total: space.total * Self.mebi), hasBallast: true)
        }
        #expect(level(bytes, small) == .low && level(percent, small) == .enough)
        #expect(level(bytes, large) == .enough && level(percent, large) == .low)
    }

    @Test func `the disk monitor creates a ballast while there is space, and deletes it when there is none`() throws {
        try withTemporaryDirectory { folder in
            let now = try DiskSpace(of: folder)
            #expect(now.free > 0 && now.free <= now.total)
            // The threshold, not the disk, makes the space short.
            let ample = DiskThresholds(freeBytes: 1, freePercent: 0, ballastBytes: 1 << 20)
            let normal = try DiskMonitor(ample, folder: folder)
            #expect(normal.level == .enough && normal.refusal == nil)
            #expect(try File.size("\(folder)/ballast") == 1 << 20)
            let short = DiskThresholds(freeBytes: now.total * 2, freePercent: 0, ballastBytes: 1 << 20)
            let low = try DiskMonitor(short, folder: folder)
            #expect(low.level == .low && low.refusal?.status == 507)
            #expect(low.refusal?.detail.contains("Make room") == true)
            let gone = DiskThresholds(freeBytes: 1, freePercent: 0, ballastBytes: now.total * 8)
            let full = try DiskMonitor(gone, folder: folder)
            #expect(full.level == .full && full.refusal != nil)
            #expect(!File.exists("\(folder)/ballast"))
        }
    }

    @Test func `the disk thresholds are read from the settings`() throws {
        let thresholds = try DiskThresholds(
            Settings(environment: [
                "FURROW_DISK_FREE_BYTES": "5", "FURROW_DISK_FREE_PERCENT": "0", "FURROW_DISK_BALLAST_BYTES": "7",
            ]))
        #expect(thresholds == DiskThresholds(freeBytes: 5, freePercent: 0, ballastBytes: 7))
        #expect(throws: SettingError.self) {
            _ = try DiskThresholds(Settings(environment: ["FURROW_DISK_FREE_PERCENT": "91"]))
        }
    }
}

@Suite("Clock steps")
struct ClockStepTests {
    @Test func `a clock step is detected if the wall clock and the boot clock differ by more than a minute`() {
        var steps = ClockJumpDetector()
        let second: Int64 = 1_000_000
        #expect(steps.step(wall: 1000 * second, boot: 5 * second) == nil)
        // A long pause advances both clocks.
        #expect(steps.step(wall: 5000 * second, boot: 4005 * second) == nil)
        #expect(steps.step(wall: 5061 * second, boot: 4006 * second) == nil)
        #expect(steps.step(wall: 5123 * second, boot: 4007 * second) == 61)
        #expect(steps.step(wall: 123 * second, boot: 4007 * second) == -5000)
        #expect(steps.step(wall: 124 * second, boot: 4008 * second) == nil)
    }

    private static let second: Int64 = 1_000_000
    private static let ahead = Instant(microseconds: 1_800_000_000 * second)

    /// Returns the steps detected by a process whose clock starts `behind` seconds before the journal's last time.
    ///
    /// It reads its clocks once a minute; `minutes` after the start the clock is set by `seconds`.
    private func detected(behind: Int64, setAfter minutes: Int64 = .max, by seconds: Int64 = 0) -> [Double] {
        var steps = ClockJumpDetector(before: Self.ahead)
        let start = Self.ahead.microseconds - behind * Self.second
        return (0...30).compactMap { (minute: Int64) -> Double? in
            let (boot, set) = (minute * 60 * Self.second, minute >= minutes ? seconds * Self.second : 0)
            return steps.step(wall: start + boot + set, boot: boot)
        }
    }

    @Test func `a clock that was set back before the process started is detected once`() {
        #expect(detected(behind: 31_536_000) == [-31_536_000])
        #expect(detected(behind: 601) == [-601])
    }

    @Test func `a clock that catches up with the journal within ten minutes is not a step`() {
        #expect(detected(behind: -5) == [])
        #expect(detected(behind: 599) == [], "it catches up before the ten minutes are over")
    }

    @Test func `a clock that the network sets soon after the start is one step`() {
        #expect(detected(behind: 31_536_000, setAfter: 2, by: 31_536_300) == [31_536_300])
    }

    @Test func `the newest time of a journal is the latest that its clock had reached`() throws {
        let log = try MemoryLog(feed: "counting/farm-0", why: "test", at: Self.ahead, chance: .seeded(1))
        func record(_ time: Double, at recorded: Double, stepped: Bool = false) throws {
            let time = Self.ahead.advanced(bySeconds: time)
            let epoch = Epoch(0)
            let accepted = FollowAccepted(feed: "a/farm-0", epoch: epoch, keptTo: 0, keptHash: "", left: 0)
            let other = [Draft(accepted, in: "journal", at: time, by: .service("counting"))]
            let drafts = stepped ? ClockJumpDetector.drafts(-5, at: time, by: "counting") : other
            _ = try log.stage(Commit(drafts), at: Self.ahead.advanced(bySeconds: recorded))
            try log.commit()
        }
        func newest() throws -> Double? {
            try ClockJumpDetector.newest(in: log).map { Double($0.microseconds - Self.ahead.microseconds) / 1_000_000 }
        }
        #expect(try newest() == 0, "its first entry")
        try record(100, at: 100)
        #expect(try newest() == 100)
        try record(20, at: 110)
        #expect(try newest() == 100, "a late report")
        try record(86_400, at: 120)
        #expect(try newest() == 120, "an event that a person dated tomorrow")
        try record(-5000, at: 121, stepped: true)
        #expect(try newest() == -5000, "the clock was set back")
        try record(-4990, at: 122)
        #expect(try newest() == -4990, "recorded times continue ahead of it")
        for number in 0..<70 { try record(-4980 - Double(number), at: 123) }
        #expect(try newest() == -4986, "only the last 64 are read")
        try log.beginEpoch(why: "accepted", at: Self.ahead.advanced(bySeconds: -9000), resettingTime: true)
        #expect(try newest() == -9000, "a new epoch begins with the clock that was accepted")
    }

    @Test func `a clock step is recorded with the time of the clock after it`() throws {
        let start = Instant(microseconds: 1_800_000_000_000_000)
        let log = try MemoryLog(feed: "counting/farm-0", why: "test", at: start, chance: .seeded(1))
        let now = start.advanced(bySeconds: -5000)
        _ = try log.stage(Commit(ClockJumpDetector.drafts(-5000, at: now, by: "counting")), at: now)
        try log.commit()
        let entry = try #require(try log.reader().entries(from: log.head.position, through: log.head.position).first)
        let detected = try RecordedEvent(reading: entry.bytes)
        guard case .journal(.clockStepped(let step)) = detected.fact else {
            Issue.record("it is \(detected.fact)")
            return
        }
        #expect(step.seconds == -5000)
        #expect(detected.envelope.time == now && detected.envelope.recorded > start)
    }
}
