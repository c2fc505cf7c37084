import Testing

@testable import Host

/// A measure of the time without progress: the rule or a mutant of it.
private protocol HangMeasure {
    init()
    mutating func tick(at monotonic: Int64, progress: UInt64) -> Int64
}

extension HangRule: HangMeasure {
    init() { self.init(gapSeconds: HostLimits.watchGapSeconds) }
}

/// A mutant: time during which the process was suspended counts as well.
private struct CountsSuspension: HangMeasure {
    private var since: (progress: UInt64, at: Int64)?

    mutating func tick(at monotonic: Int64, progress: UInt64) -> Int64 {
        if since?.progress != progress { since = (progress, monotonic) }
        return monotonic - (since?.at ?? monotonic)
    }
}

/// A mutant: progress does not reset the time counted before.
private struct ForgetsProgress: HangMeasure {
    private var last: Int64?
    private var stalled: Int64 = 0

    mutating func tick(at monotonic: Int64, progress: UInt64) -> Int64 {
        stalled += last.map { monotonic - $0 > 3_000_000 ? 0 : monotonic - $0 } ?? 0
        last = monotonic
        return stalled
    }
}

/// A mutant: a suspension resets the time counted before, so a process that is suspended now and then never counts as
/// hung.
private struct ForgivesAfterSuspension: HangMeasure {
    private var last: Int64?
    private var progress: UInt64?
    private var stalled: Int64 = 0

    mutating func tick(at monotonic: Int64, progress: UInt64) -> Int64 {
        let passed = last.map { monotonic - $0 } ?? 0
        last = monotonic
        stalled = progress == self.progress && passed <= 3_000_000 ? stalled + passed : 0
        self.progress = progress
        return stalled
    }
}

@Suite("The watchdog")
struct WatchdogTests {
    private static let second: Int64 = 1_000_000

    /// Returns the seconds without progress that a measure finds after each tick.
    private func seconds(_ type: (some HangMeasure).Type, _ ticks: [(gap: Int64, progress: UInt64)]) -> [Int64] {
        var measure = type.init()
        var now: Int64 = 5_000 * Self.second
        return ticks.map { tick in
            now += tick.gap * Self.second
            return measure.tick(at: now, progress: tick.progress) / Self.second
        }
    }

    /// Returns the rules that a measure breaks; empty for a correct one.
    private func failures(of type: (some HangMeasure).Type) -> Set<String> {
        var failures: Set<String> = []
        // given a loop that hangs from the first second on
        let hung = seconds(type, (0...40).map { _ in (1, 7) })
        // then after 30 s, and not before, 30 s are counted
        if hung[30] != 30 || hung[29] != 29 { failures.insert("does not count a hang") }
        // given a loop that makes progress
        let well = seconds(type, (0...100).map { (1, UInt64($0 / 3)) })
        if well.max() ?? 0 > 3 { failures.insert("does not see progress") }
        // given a process that is suspended for two minutes again and again, and makes progress in between
        let suspended = seconds(type, (0...20).map { ($0 % 2 == 1 ? 120 : 1, UInt64($0 / 2)) })
        if suspended.max() ?? 0 >= 30 { failures.insert("counts suspended time") }
        // given one that hangs and is suspended in the middle
        let both = seconds(type, (0...20).map { _ in (1, 7) } + [(600, 7)] + (0..<10).map { _ in (1, 7) })
        if both[20] != 20 || both[21] != 20 || both[31] != 30 { failures.insert("does not add up running time") }
        return failures
    }

    @Test func `the hang rule counts running time without progress, but no suspended time`() {
        #expect(failures(of: HangRule.self).isEmpty)
        // and the mutants are found
        #expect(failures(of: CountsSuspension.self).contains("counts suspended time"))
        #expect(failures(of: ForgetsProgress.self).contains("does not see progress"))
        #expect(failures(of: ForgivesAfterSuspension.self) == ["does not add up running time"])
    }

    @Test func `activities that may take long have a longer time limit`() {
        let usual: Int64 = 30
        for activity in EventLoopProgress.Activity.allCases { #expect(activity.seconds(usual: usual) >= usual) }
        #expect(EventLoopProgress.Activity.turning.seconds(usual: usual) == 30)
        #expect(EventLoopProgress.Activity.projecting.seconds(usual: usual) == 30)
        #expect(EventLoopProgress.Activity.syncing.seconds(usual: usual) == 120)
    }

    @Test func `the watchdog sees each report and the activity of the loop`() {
        let progress = EventLoopProgress()
        var seen: Set<UInt64> = [progress.last.count]
        #expect(progress.last.activity == .opening)
        for activity in EventLoopProgress.Activity.allCases {
            progress.report(activity)
            #expect(progress.last.activity == activity && seen.insert(progress.last.count).inserted)
        }
        progress.during(.syncing) { #expect(progress.last.activity == .syncing) }
        #expect(progress.last.activity == .turning)
    }

    @Test func `a service that hung five times within ten minutes stays down`() {
        var count = HangCount()
        let times: [Int64] = [0, 100, 200, 300, 599]
        #expect(times.map { count.note(at: $0 * Self.second) } == [false, false, false, false, true])
        // and not one that hangs less often
        var seldom = HangCount()
        #expect((0..<20).allSatisfy { !seldom.note(at: $0 * 150 * Self.second) })
    }
}
