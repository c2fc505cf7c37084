import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Silent sensors")
struct ReportingTests {
    private func address(_ number: Int) -> String { "c0ffee00000\(number)" }

    private func bind(_ bench: Bench, _ number: Int) throws {
        _ = try bench.ask(
            "bind-point",
            "{\"point\":\"p\(number)\",\"title\":\"Sensor \(number)\",\"place\":\"store/s1\",\"device\":\"ble:\(address(number))\"}"
        )
    }

    private func report(_ bench: Bench, _ number: Int, _ sequence: Int) throws {
        _ = try bench.ask(
            "ingest-adverts",
            Bench.ruuvi(20, UInt8(truncatingIfNeeded: sequence), from: address(number), at: bench.now))
    }

    @Test func `the report of all sensors has their number and the age of the oldest value`() throws {
        let bench = try Bench()
        for number in 1...3 { try bind(bench, number) }
        let start = bench.now
        for turn in 0..<4 {
            bench.clock.set(to: start.advanced(bySeconds: Double(turn) * 600))
            for number in 1...3 { try report(bench, number, turn) }
        }
        bench.clock.set(to: bench.now.advanced(bySeconds: 61))
        let answer = try bench.ask("reporting", "{}").json
        #expect(try answer.get("sensors", as: Int.self) == 3)
        #expect(try answer.get("silentSensors", as: Int.self) == 0)
        #expect(try answer.get("withinMinutes", as: Int.self) == 2)
        #expect(answer["silent"]?.array?.isEmpty == true)
    }

    @Test func `a sensor is listed as silent after three usual intervals, with its title and last time`() throws {
        let bench = try Bench()
        for number in 1...3 { try bind(bench, number) }
        let start = bench.now
        var silentAfter: Double?
        // Sensor 1 stops after 30 minutes, sensor 3 never reports.
        for minute in stride(from: 0, through: 90, by: 1) {
            bench.clock.set(to: start.advanced(bySeconds: Double(minute) * 60))
            if minute.isMultiple(of: 10), minute <= 30 { try report(bench, 1, minute) }
            if minute.isMultiple(of: 10) { try report(bench, 2, minute) }
            let answer = try bench.ask("reporting", "{}").json
            let silent = try answer["silent"]?.array?.map { try $0.get("point", as: String.self) } ?? []
            #expect(silent.contains("p3") && !silent.contains("p2"), "minute \(minute): \(silent)")
            #expect(answer["withinMinutes"] == nil)
            if silent.contains("p1"), silentAfter == nil { silentAfter = Double(minute) }
        }
        #expect(silentAfter == 61)
        let items = try bench.ask("reporting", "{}").json["silent"]?.array.map { Array($0) } ?? []
        let first = try #require(items.first { try $0.get("point", as: String.self) == "p1" })
        #expect(try first.get("title", as: String.self) == "Sensor 1")
        #expect(try first.get("since", as: Instant.self) == start.advanced(bySeconds: 1800))
        let never = try #require(items.first { try $0.get("point", as: String.self) == "p3" })
        #expect(never["since"] == nil)
    }

    @Test func `a farm without sensors has no silent ones`() throws {
        let bench = try Bench()
        let answer = try bench.ask("reporting", "{}").json
        #expect(try answer.get("sensors", as: Int.self) == 0)
        #expect(answer["withinMinutes"] == nil)
        #expect(try answer.get("limits", as: Int.self) == 0)
    }

    // MARK: The rhythm

    /// Examples for the rule of silence: gaps in seconds, the longest silence that is normal, and the shortest that is
    /// not.
    private static let lives: [(gaps: [Double], normal: Double, death: Double)] = [
        (Array(repeating: 600, count: 20), 1700, 1900),
        // One per second, some lost.
        ([1, 1, 1, 5, 1, 1, 2, 1], 280, 400),
        // An outage of a day changes the learnt interval little.
        (Array(repeating: 600, count: 20) + [86_400] + Array(repeating: 600, count: 8), 1700, 2400),
        // The same on the day of the outage.
        (Array(repeating: 600, count: 20) + [86_400], 1700, 4000),
        // Set from 10 minutes to an hour.
        (Array(repeating: 600, count: 20) + Array(repeating: 3600, count: 20), 7200, 11_000),
        // Reported once.
        ([], 3000, 3700),
    ]

    private static func mistakes(
        _ learn: (Double, Double?) -> Double, _ patience: (Double?) -> Double
    ) -> Int {
        lives.count { life in
            let interval = life.gaps.reduce(Double?.none) { learn($1, $0) }
            return !(patience(interval) >= life.normal && patience(interval) <= life.death)
        }
    }

    @Test func `the silence of a sensor follows from its learnt interval, which an outage changes little`() {
        #expect(Self.mistakes({ Rhythm.learn($0, after: $1) }, Rhythm.patience) == 0)
        let mutants: [(String, (Double, Double?) -> Double, (Double?) -> Double)] = [
            ("the last gap", { gap, _ in gap }, Rhythm.patience),
            ("the first gap", { gap, interval in interval ?? gap }, Rhythm.patience),
            ("a mean of unbounded gaps", { gap, last in last.map { $0 + (gap - $0) / 8 } ?? gap }, Rhythm.patience),
            ("one interval", { Rhythm.learn($0, after: $1) }, { max($0 ?? 3600, 300) }),
            ("no shortest silence", { Rhythm.learn($0, after: $1) }, { $0.map { 3 * $0 } ?? 3600 }),
        ]
        for (name, learn, patience) in mutants {
            #expect(Self.mistakes(learn, patience) > 0, "a mutant passes: \(name)")
        }
        print("rhythm: \(Self.lives.count) lives, \(mutants.count) mutants found")
    }

    // MARK: Radios

    @Test func `a coordinator that never started is reported`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 25)
        #expect(bench.core.service.trouble(of: Bench.line) == nil)
        try bench.wait(seconds: 10)
        #expect(bench.core.service.trouble(of: Bench.line)?.hasPrefix("it does not answer") == true)
        let radios = try bench.ask("reporting", "{}").json["radios"]?.array.map { Array($0) } ?? []
        #expect(try radios.map { try $0.get("source", as: String.self) } == [Bench.line])
    }

    @Test func `a coordinator whose firmware refuses to start its network is reported with that reason`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 0.2)
        try bench.hear(ZNPMessage.system(.pong(capabilities: 0x0659)).bytes)
        let firmware = SystemMessage.Firmware(transport: 2, product: 0, major: 2, minor: 6, maintenance: 3)
        try bench.hear(ZNPMessage.system(.version(firmware)).bytes)
        try bench.hear(
            ZNPMessage.deviceObject(
                .deviceInfo(.init(status: 0, ieee: 1, short: 0, kinds: 7, state: 0, children: []))
            ).bytes)
        var record = [UInt8](repeating: 0, count: NetworkRecord.packedBytes)
        (record[22], record[61]) = (15, 1)
        try bench.hear(ZNPMessage.memory(.value(status: 0, bytes: record)).bytes)
        for _ in 0..<20 {
            try bench.hear(ZNPMessage.refused(error: 2, request: 0x2540).bytes)
            try bench.wait(seconds: 2)
        }
        #expect(
            bench.core.service.trouble(of: Bench.line)
                == "its firmware does not know the command that starts its network")
    }

    @Test func `a coordinator that ran and became silent is reported`() throws {
        var coordinator = Coordinator()
        let start = Instant(microseconds: 1_000_000_000_000)
        _ = coordinator.due(at: start)
        _ = coordinator.receive(.system(.pong(capabilities: 0x0659)), at: start)
        _ = coordinator.receive(.refused(error: 2, request: 0x2102), at: start)
        _ = coordinator.receive(
            .deviceObject(.deviceInfo(.init(status: 0, ieee: 1, short: 0, kinds: 7, state: 9, children: []))), at: start
        )
        _ = coordinator.receive(.framework(.registered(status: 0)), at: start)
        _ = coordinator.receive(.framework(.registered(status: 0)), at: start)
        _ = coordinator.receive(.deviceObject(.subscribed(status: 0)), at: start)
        _ = coordinator.receive(.memory(.value(status: 2, bytes: [])), at: start)
        #expect(coordinator.phase == .running)
        #expect(coordinator.trouble(at: start.advanced(bySeconds: 89)) == nil)
        #expect(coordinator.trouble(at: start.advanced(bySeconds: 91)) == "it does not answer any more")
    }
}
