import System
import TestKit
import Testing
import Wire

@testable import Host

@Suite("The room on the disk")
struct DiskTests {
    private static let gibi: UInt64 = 1 << 30

    @Test(arguments: [
        (free: 200, total: 1000, level: "enough"), (free: 99, total: 1000, level: "low"),
        (free: 2, total: 8, level: "enough"), (free: 0, total: 4, level: "low"),
    ])
    func `is low below a tenth or a gibibyte`(free: UInt64, total: UInt64, level: String) {
        let space = DiskSpace(free: free * Self.gibi, total: total * Self.gibi)
        #expect("\(DiskRoom().level(space, hasBallast: true))" == level)
        #expect(DiskRoom().level(space, hasBallast: false) == .full)
    }

    @Test func `keeps ballast while there is room for it, and frees it when there is none`() throws {
        try withTemporaryDirectory { folder in
            let now = try DiskSpace(of: folder)
            #expect(now.free > 0 && now.free <= now.total)
            // A disk that is "short" because the limits say so.
            let ample = DiskRoom(freeBytes: 1, freePercent: 0, ballastBytes: 1 << 20)
            let keeper = try DiskKeeper(ample, folder: folder)
            #expect(keeper.level == .enough && keeper.refusal == nil)
            #expect(try File.size("\(folder)/ballast") == 1 << 20)
            let short = DiskRoom(freeBytes: now.total * 2, freePercent: 0, ballastBytes: 1 << 20)
            let low = try DiskKeeper(short, folder: folder)
            #expect(low.level == .low && low.refusal?.status == 507)
            #expect(low.refusal?.detail.contains("Make room") == true)
            let gone = DiskRoom(freeBytes: 1, freePercent: 0, ballastBytes: now.total * 8)
            let full = try DiskKeeper(gone, folder: folder)
            #expect(full.level == .full && full.refusal != nil)
            #expect(!File.exists("\(folder)/ballast"))
        }
    }

    @Test func `takes its limits from settings`() throws {
        let room = try DiskRoom(
            Settings(environment: [
                "FURROW_DISK_FREE_BYTES": "5", "FURROW_DISK_FREE_PERCENT": "0", "FURROW_DISK_BALLAST_BYTES": "7",
            ]))
        #expect(room == DiskRoom(freeBytes: 5, freePercent: 0, ballastBytes: 7))
        #expect(throws: SettingError.self) {
            _ = try DiskRoom(Settings(environment: ["FURROW_DISK_FREE_PERCENT": "91"]))
        }
    }
}

@Suite("Steps of the clock")
struct ClockStepTests {
    @Test func `are told when the wall clock leaves the other by more than a minute`() {
        var steps = ClockSteps()
        let second: Int64 = 1_000_000
        #expect(steps.step(wall: 1000 * second, monotonic: 5 * second) == nil)
        // A long pause moves both.
        #expect(steps.step(wall: 5000 * second, monotonic: 4005 * second) == nil)
        #expect(steps.step(wall: 5061 * second, monotonic: 4006 * second) == nil)
        #expect(steps.step(wall: 5123 * second, monotonic: 4007 * second) == 61)
        #expect(steps.step(wall: 123 * second, monotonic: 4007 * second) == -5000)
        #expect(steps.step(wall: 124 * second, monotonic: 4008 * second) == nil)
    }
}
