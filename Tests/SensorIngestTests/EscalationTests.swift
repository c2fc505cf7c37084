import EventStore
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Escalation of alarms")
struct EscalationTests {
    private let start = Instant(microseconds: 1_784_000_000_000_000)
    private let setting = OnCallSet(
        steps: [
            OnCallStep(afterMinutes: 0, people: [PersonID("anna")]),
            OnCallStep(afterMinutes: 15, people: [PersonID("ben")]),
        ],
        repeatMinutes: 30)

    private func handling(step: Int?, notified: Double?, requested: Double? = nil) -> AlarmHandling {
        var handling = AlarmHandling()
        handling.step = step
        handling.notified = notified.map { start.advanced(bySeconds: $0 * 60) }
        handling.began = handling.notified
        handling.requested = (requested ?? notified).map { start.advanced(bySeconds: $0 * 60) }
        return handling
    }

    private func next(_ handling: AlarmHandling, minutes: Double) -> Int? {
        Escalation.next(handling, at: start.advanced(bySeconds: minutes * 60), by: setting)
    }

    @Test func `the first step is due at once, for a current report only, and only once`() {
        let fresh = AlarmHandling()
        #expect(Escalation.first(fresh, ageSeconds: 0, by: setting) == 0)
        #expect(Escalation.first(fresh, ageSeconds: 900, by: setting) == 0)
        #expect(Escalation.first(fresh, ageSeconds: 901, by: setting) == nil)
        #expect(Escalation.first(handling(step: 0, notified: 0), ageSeconds: 0, by: setting) == nil)
        #expect(Escalation.first(fresh, ageSeconds: 0, by: OnCallSet(steps: [])) == nil)
    }

    @Test func `later steps are due in their time, and the last one is repeated`() {
        let first = handling(step: 0, notified: 0)
        #expect(next(first, minutes: 14.9) == nil)
        #expect(next(first, minutes: 15) == 1)
        let second = handling(step: 1, notified: 0, requested: 15)
        #expect(next(second, minutes: 44.9) == nil)
        #expect(next(second, minutes: 45) == 1)
        #expect(next(AlarmHandling(), minutes: 1000) == nil, "an alarm of which nobody was notified")
    }

    @Test func `nothing is due after somebody acknowledged the alarm`() {
        var handling = handling(step: 0, notified: 0)
        handling.acknowledged = start
        #expect(next(handling, minutes: 1000) == nil)
        var quiet = AlarmHandling()
        quiet.acknowledged = start
        #expect(Escalation.first(quiet, ageSeconds: 0, by: setting) == nil)
    }

    // MARK: Mutants

    /// A rule that decides the first and the later steps.
    private struct Rule {
        let name: String
        let first: (AlarmHandling, _ ageSeconds: Double) -> Int?
        let next: (AlarmHandling, Instant) -> Int?
    }

    private var real: Rule {
        Rule(
            name: "the rule", first: { Escalation.first($0, ageSeconds: $1, by: setting) },
            next: { Escalation.next($0, at: $1, by: setting) })
    }

    private var mutants: [Rule] {
        let unacknowledged = { (handling: AlarmHandling) in
            var handling = handling
            handling.acknowledged = nil
            return handling
        }
        return [
            Rule(
                name: "a first step that ignores the age of the report",
                first: { handling, _ in Escalation.first(handling, ageSeconds: 0, by: setting) }, next: real.next),
            Rule(
                name: "escalation without the check of acknowledgement", first: real.first,
                next: { Escalation.next(unacknowledged($0), at: $1, by: setting) }),
            Rule(
                name: "a first step without the check of acknowledgement",
                first: { Escalation.first(unacknowledged($0), ageSeconds: $1, by: setting) }, next: real.next),
        ]
    }

    /// Returns how many cases a rule decides wrongly.
    private func wrong(_ rule: Rule) -> Int {
        var taken = handling(step: 0, notified: 0)
        taken.acknowledged = start
        var quiet = AlarmHandling()
        quiet.acknowledged = start
        let later = start.advanced(bySeconds: 1000)
        return [
            rule.first(AlarmHandling(), 0) == 0, rule.first(AlarmHandling(), 604_800) == nil,
            rule.first(quiet, 0) == nil, rule.next(taken, later) == nil,
            rule.next(handling(step: 0, notified: 0), later) == 1,
        ].count { !$0 }
    }

    @Test func `rules that ignore the age of a report or an acknowledgement are found`() {
        #expect(wrong(real) == 0)
        for mutant in mutants { #expect(wrong(mutant) > 0, "\(mutant.name)") }
        print("escalation: \(mutants.count) mutants found")
        #expect(mutants.count == 3)
    }

    // MARK: In the service

    private static let address = "cbb8334c884f"

    /// Returns a bench with a bound device, a limit of 30 °C and two escalation steps.
    private func bench() throws -> Bench {
        let bench = try Bench()
        for (verb, body) in [
            (
                "bind-point",
                "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\",\"device\":\"ble:\(Self.address)\"}"
            ),
            ("set-rule", "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30}"),
            (
                "set-on-call",
                "{\"steps\":[{\"afterMinutes\":0,\"people\":[\"anna\"]},{\"afterMinutes\":15,\"people\":[\"ben\"]}]}"
            ),
        ] { #expect(try bench.ask(verb, body).status == 200) }
        return bench
    }

    private func report(_ bench: Bench, _ celsius: Double, _ number: Int, secondsAgo: Double = 0) throws {
        let time = bench.now.advanced(bySeconds: -secondsAgo)
        _ = try bench.ask(
            "ingest-adverts", Bench.ruuvi(celsius, UInt8(number % 250), from: Self.address, at: time))
    }

    private func notified(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            guard case .alarmNotificationRequested(let event) = recorded.fact, event.quantity != .silence else {
                return nil
            }
            return "\(event.step) \(event.people.map(\.rawValue).joined(separator: ","))"
        }
    }

    private func raised(_ bench: Bench) throws -> Int {
        try bench.journal().count { if case .alarmRaised = $0.fact { true } else { false } }
    }

    @Test func `people are notified of a current alarm step by step, until one acknowledges it`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        #expect(try notified(bench) == ["0 anna"])
        bench.clock.advance(bySeconds: 890)
        try bench.wait(seconds: 2)
        #expect(try notified(bench) == ["0 anna"])
        bench.clock.advance(bySeconds: 10)
        try bench.wait(seconds: 2)
        #expect(try notified(bench) == ["0 anna", "1 ben"])
        #expect(
            try bench.ask("acknowledge-alarm", "{\"rule\":\"warm\",\"point\":\"p1\",\"comment\":\"on my way\"}").status
                == 200)
        let row = try bench.ask("alarms", "{}").json.get("items", as: [JSONValue].self)[0]
        #expect(try row.get("acknowledgedBy", as: String.self) == "person/p1")
        #expect(try row.get("comment", as: String.self) == "on my way" && row.get("step", as: Int.self) == 1)
        // A second person does not replace the first, and nobody acknowledges another alarm than the one they saw.
        let again = "{\"rule\":\"warm\",\"point\":\"p1\",\"comment\":\"me too\""
        #expect(try bench.ask("acknowledge-alarm", again + "}").status == 200)
        #expect(
            try bench.ask("acknowledge-alarm", again + ",\"raised\":\"2020-01-01T00:00:00Z\"}").status == 409)
        let same = try bench.ask("alarms", "{}").json.get("items", as: [JSONValue].self)[0]
        #expect(try same.get("comment", as: String.self) == "on my way")
        bench.clock.advance(bySeconds: 86_400)
        try bench.wait(seconds: 2)
        #expect(try notified(bench).count == 2)
    }

    @Test func `swings around a limit and single spikes notify once`() throws {
        for swing in [[29.9, 30.1], [28, 31], [20, 60]] {
            let bench = try bench()
            for number in 1...20 {
                try report(bench, swing[number % 2], number)
                bench.clock.advance(bySeconds: 29.9)
                try bench.wait(seconds: 0.1)
            }
            #expect(try notified(bench) == ["0 anna"], "\(swing)")
            #expect(try raised(bench) >= 1)
        }
    }

    @Test func `an alarm that is raised again later than half an hour after its clearing is a new incident`() throws {
        let bench = try bench()
        for (number, seconds) in [(1, 1700.0), (3, 1900), (5, 0)] {
            try report(bench, 31, number)
            try report(bench, 20, number + 1)
            bench.clock.advance(bySeconds: seconds)
        }
        #expect(try notified(bench).count == 2)
        #expect(try raised(bench) == 3)
        let history = try bench.ask("alarm-history", "{\"point\":\"p1\"}").json.get("items", as: [JSONValue].self)
        #expect(try history.count == 3 && history.allSatisfy { try $0.find("cleared", as: Instant.self) != nil })
    }

    @Test func `swings do not keep an incident alive for ever`() throws {
        let bench = try bench()
        try report(bench, 31, 0)
        #expect(try bench.ask("acknowledge-alarm", "{\"rule\":\"warm\",\"point\":\"p1\"}").status == 200)
        for number in 1...60 {
            bench.clock.advance(bySeconds: 750)
            try report(bench, number.isMultiple(of: 2) ? 31 : 20, number)
        }
        #expect(try notified(bench) == ["0 anna", "0 anna"])
    }

    @Test func `escalation continues after the clock was set back`() throws {
        let tables = try MemoryTables([PointRow.schema])
        let ahead = start.advanced(bySeconds: 31_536_000)
        let raised = AlarmRaised(
            rule: RuleID("warm"), point: PointID("p1"), place: .store(StoreID("cold")), device: DeviceID("ble:1"),
            quantity: .temperature, value: 31, limit: 30)
        var row = AlarmRow(raised, at: ahead, after: nil)
        row.notify(row.notification(ofStep: 0, to: setting.steps[0].people, in: tables), at: ahead)
        #expect(next(row.handling, minutes: 15) == nil)
        row.setBack(to: start)
        #expect(next(row.handling, minutes: 15) == 1 && row.raised == start)
    }

    @Test func `a backlog of seven days is history and notifies nobody of the past`() throws {
        let bench = try bench()
        for number in 1...200 {
            try report(bench, number.isMultiple(of: 5) ? 35 : 20, number, secondsAgo: 604_800 - Double(number) * 3000)
        }
        #expect(try raised(bench) == 40)
        #expect(try notified(bench).isEmpty)
        // The backlog ends beyond the limit; the first current report notifies.
        try bench.wait(seconds: 5)
        #expect(try notified(bench).isEmpty)
        try report(bench, 36, 201)
        #expect(try notified(bench) == ["0 anna"])
    }

    @Test func `a report that two slots received notifies once`() throws {
        let primary = try bench()
        let others = [try Bench(slot: 1), try Bench(slot: 2)]
        for (number, celsius) in [20.0, 31, 32].enumerated() {
            for other in others { try report(other, celsius, number) }
        }
        for other in others { try primary.hear(from: other) }
        #expect(try notified(primary) == ["0 anna"])
        #expect(try raised(primary) == 1)
        #expect(try others.allSatisfy { try notified($0).isEmpty && raised($0) == 0 })
    }

    @Test func `a restart continues an escalation where it was`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        try bench.restart()
        bench.clock.advance(bySeconds: 901)
        try bench.wait(seconds: 2)
        #expect(try notified(bench) == ["0 anna", "1 ben"])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a limit with a duration raises no alarm for a shorter time, whatever the reports' delays`() throws {
        let bench = try bench()
        let rule = "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30"
        #expect(try bench.ask("set-rule", rule + ",\"forSeconds\":300}").status == 200)
        // Times in seconds; a value at or below the limit starts again.
        let reports: [(seconds: Double, celsius: Double)] = [(0, 31), (200, 31), (250, 30), (300, 31), (590, 31)]
        let start = bench.now
        bench.clock.advance(bySeconds: 700)
        for (number, one) in reports.enumerated() {
            try report(
                bench, one.celsius, number, secondsAgo: bench.now.seconds(since: start.advanced(bySeconds: one.seconds))
            )
        }
        #expect(try raised(bench) == 0)
        try report(
            bench, 32, 9, secondsAgo: bench.now.seconds(since: start.advanced(bySeconds: 600)))
        #expect(try raised(bench) == 1)
        #expect(try bench.ask("set-rule", rule + ",\"forSeconds\":-1}").status == 400)
    }

    @Test func `alarms that are raised at one instant are separate in the history`() throws {
        let bench = try bench()
        for (number, celsius) in [31, 20, 32, 20, 33].enumerated() { try report(bench, Double(celsius), number) }
        let history = try bench.ask("alarm-history", "{\"point\":\"p1\"}").json.get("items", as: [JSONValue].self)
        #expect(try history.map { try $0.get("value", as: Double.self) } == [31, 32, 33])
    }

    @Test func `what is malformed is refused with what to do`() throws {
        let bench = try bench()
        for (verb, body, status) in [
            ("acknowledge-alarm", "{\"rule\":\"warm\",\"point\":\"p1\"}", 404),
            ("set-on-call", "{\"steps\":[{\"afterMinutes\":5,\"people\":[\"anna\"]}]}", 422),
            ("set-on-call", "{\"steps\":[{\"afterMinutes\":0,\"people\":[]}]}", 422),
            ("set-on-call", "{\"steps\":[],\"repeatMinutes\":0}", 400), ("alarm-history", "{}", 400),
        ] { #expect(try bench.ask(verb, body).status == status, "\(verb) \(body)") }
        try report(bench, 31, 1)
        try report(bench, 20, 2)
        #expect(try bench.ask("acknowledge-alarm", "{\"rule\":\"warm\",\"point\":\"p1\"}").status == 409)
    }
}
