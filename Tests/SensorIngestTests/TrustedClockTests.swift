import EventSourcing
import Events
import Host
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("The trusted clock")
struct TrustedClockTests {
    private static let start = Instant(microseconds: 1_800_000_000_000_000)
    private static let day = 86_400.0
    private static let year = 365.25 * day

    /// A machine with a wall clock that can be moved, a clock since its start, and the marks of one journal.
    private struct Clocks {
        let rule = TrustedClock()
        /// The true seconds that have passed.
        var truth = 0.0
        /// Seconds by which the wall clock is ahead.
        var ahead = 0.0
        private var started = 0.0
        private var boot = 0
        private(set) var marks: [ClockTrusted] = []
        /// The latest horizon so far, in true seconds: segments recorded before it would be pruned.
        private(set) var latest = -Double.infinity

        var reading: ClockReading {
            let wall = start.advanced(bySeconds: truth + ahead)
            let uptime = Int64((truth - started) * 1_000_000)
            return ClockReading(now: wall, wall: wall, boot: BootTime(id: "boot-\(boot)", microseconds: uptime))
        }

        var horizon: Double? {
            rule.horizon(at: reading, after: marks.last).map { $0.seconds(since: start) }
        }

        /// Lets the machine run for a number of seconds, and reads its clocks every `step` seconds.
        mutating func run(_ seconds: Double, step: Double = 1) {
            let end = truth + seconds
            repeat {
                look()
                truth = min(end, truth + step)
            } while truth < end
            look()
        }

        private mutating func look() {
            if let mark = rule.mark(at: reading, after: marks.last, newest: nil) { marks.append(mark) }
            if let horizon { latest = max(latest, horizon - truth) }
        }

        /// Lets the machine be off for a number of seconds.
        mutating func isOff(_ seconds: Double) {
            truth += seconds
            (started, boot) = (truth, boot + 1)
        }
    }

    /// Jumps of +1 h to +50 y for 10 s to 10 min: while the machine runs, before a start, and in both.
    private static let jumps: [(jump: Double, held: Double)] = [3600, day, 30 * day, 1100 * day, 12 * year, 50 * year]
        .flatMap { (jump: Double) -> [(jump: Double, held: Double)] in [(jump, 10), (jump, 60), (jump, 600)] }

    @Test func `a clock that is ahead for a while never moves the horizon beyond the true time`() {
        var cases = 0
        for (jump, held) in Self.jumps {
            for isBeforeStart in [false, true] {
                var clocks = Clocks()
                clocks.run(7200, step: 60)
                clocks.ahead = jump
                if isBeforeStart { clocks.isOff(30) }
                clocks.run(held)
                clocks.ahead = 0
                if isBeforeStart { clocks.isOff(30) }
                clocks.run(3600, step: 60)
                #expect(clocks.latest <= 0.001, "+\(jump) s for \(held) s, before the start: \(isBeforeStart)")
                cases += 1
            }
        }
        print("trusted clock: \(cases) jumps of +1 h to +50 y, none moved the horizon beyond the true time")
        #expect(cases == 36)
    }

    @Test func `a mutant that prunes by the wall clock prunes too early in every case`() {
        // The horizon of the mutant while the clock is ahead.
        for (jump, _) in Self.jumps {
            var clocks = Clocks()
            clocks.run(7200, step: 60)
            clocks.ahead = jump
            let reading = clocks.reading
            #expect(min(reading.now, reading.wall).seconds(since: Self.start) - clocks.truth > 3599)
        }
    }

    @Test func `the horizon advances with a correct clock, over restarts of the process`() throws {
        var clocks = Clocks()
        clocks.run(30 * Self.day, step: 600)
        #expect(try abs(#require(clocks.horizon) - 30 * Self.day) < 1)
        #expect(clocks.marks.count <= 31 * 24 && clocks.marks.allSatisfy { $0.frozen == 0 })
    }

    @Test func `the horizon stays for seven days after a step and then advances a day per day`() throws {
        var clocks = Clocks()
        clocks.run(Self.day, step: 600)
        clocks.ahead = 7200
        clocks.run(600, step: 60)
        clocks.ahead = 0
        clocks.run(6.9 * Self.day, step: 600)
        #expect(clocks.horizon == nil)
        clocks.run(0.2 * Self.day, step: 600)
        let after = try #require(clocks.horizon)
        #expect(after < Self.day + 0.2 * Self.day)
        clocks.run(10 * Self.day, step: 600)
        #expect(try abs(#require(clocks.horizon) - after - 10 * Self.day) < 60)
    }

    @Test func `a machine that was off for a month continues from its last trusted time`() throws {
        var clocks = Clocks()
        clocks.run(2 * Self.day, step: 600)
        clocks.isOff(30 * Self.day)
        clocks.run(8 * Self.day, step: 600)
        let horizon = try #require(clocks.horizon)
        #expect(horizon < 3.1 * Self.day && horizon > 2.8 * Self.day)
    }

    @Test func `a first clock mark that was ahead is corrected once the clock was right for a week`() throws {
        var clocks = Clocks()
        clocks.ahead = 3 * Self.year
        clocks.run(600)
        clocks.ahead = 0
        clocks.run(7.1 * Self.day, step: 600)
        // From then on a second jump has no effect either.
        clocks.ahead = 3 * Self.year
        clocks.run(600)
        clocks.ahead = 0
        clocks.run(7.1 * Self.day, step: 600)
        let horizon = try #require(clocks.horizon)
        #expect(horizon <= clocks.truth)
    }

    @Test func `the mark is projected from the journal, and a rebuild equals the live table`() throws {
        let mark = ClockTrusted(
            wall: Self.start, boot: "b", uptime: 5_000_000, trusted: Self.start.advanced(bySeconds: -60), frozen: 7.5)
        let bench = try Bench(before: [mark])
        try bench.core.record(
            [Draft(mark, in: ClockTrusted.stream, at: bench.now, by: .service(SensorIngest.name))], at: bench.now)
        _ = try bench.core.commit()
        let row = try #require(bench.core.tables.get(ClockRow.self, "sensor-ingest/farm-0"))
        #expect(row.mark == mark)
        #expect(try ClockRow(key: row.key, cells: row.cells) == row)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a journal of an older version continues from the newest time in it`() throws {
        let rule = TrustedClock()
        func first(_ ahead: Double) throws -> ClockTrusted {
            let wall = Self.start.advanced(bySeconds: ahead)
            let reading = ClockReading(now: wall, wall: wall, boot: BootTime(id: "b", microseconds: 0))
            return try #require(rule.mark(at: reading, after: nil, newest: Self.start))
        }
        #expect(try first(60).trusted == Self.start && first(60).frozen == 0)
        #expect(try first(3 * Self.year).trusted == Self.start)
        #expect(try first(3 * Self.year).frozen == ClockTrusted.freezeSeconds)
        #expect(try first(-Self.year).trusted == Self.start.advanced(bySeconds: -Self.year))
    }
}
