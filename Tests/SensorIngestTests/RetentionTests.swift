import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

/// The steps of a prune without a disk: requests to trace-ledger, and what is pruned.
@Suite("Retention of old reports")
struct RetentionTests {
    private static let now = Instant(microseconds: 1_800_000_000_000_000)
    private static let wall = Instant(microseconds: 1_900_000_000_000_000)

    /// A segment of 4,096 events with reports of two devices over five hours, three years ago.
    private static let survey = OldReports(
        positions: 1...4096, reports: 2, from: old, to: old.advanced(bySeconds: 18_000))
    private static let old = now.advanced(bySeconds: -3 * 365 * 86_400).hour

    /// The effects of a run.
    private struct Outcome {
        var asked: [(verb: String, body: String)] = []
        var pruned: [Pruning] = []
        var surveys = 0
    }

    /// Runs retention until nothing is left to do, with this response of trace-ledger.
    private func run(
        _ retention: inout Retention, after last: Position = 0, answer: RequestOutcome, at wall: Instant = wall
    ) -> Outcome {
        var outcome = Outcome()
        // The machine has run since the wall clock's beginning, and the clock was marked then.
        let boot = BootTime(id: "b", microseconds: max(0, wall.microseconds))
        let mark = ClockTrusted(
            wall: wall, boot: "b", uptime: boot.microseconds, trusted: Self.wall, frozen: 0)
        var effects = retention.tend(
            at: ClockReading(now: Self.now, wall: wall, boot: boot), after: last, mark: mark)
        while !effects.isEmpty {
            switch effects.removeFirst() {
            case .work(let token, let job):
                #expect(token == Retention.token)
                outcome.surveys += 1
                effects += retention.scanned(job())
            case .ask(let asked):
                #expect(asked.to == "trace-ledger" && asked.key == nil)
                outcome.asked.append((asked.verb, String(decoding: asked.body, as: UTF8.self)))
                effects += retention.answered(answer)
            case .prune(let pruning): outcome.pruned.append(pruning)
            default: Issue.record("an effect of another kind")
            }
        }
        return outcome
    }

    private func answer(_ body: String, status: Int = 200) -> RequestOutcome {
        .answer(Response(status: status, body: Array(body.utf8)))
    }

    private func report(_ device: DeviceID, _ seconds: Double) -> RecordedEvent {
        told(
            .sensors(
                .measured(
                    Measured(
                        device: device, format: "ruuvi5", readings: [], source: "http", repeats: 0, payload: ""))),
            seconds)
    }

    private func told(_ fact: EventPayload, _ seconds: Double) -> RecordedEvent {
        let time = Self.old.advanced(bySeconds: seconds)
        return RecordedEvent(
            Envelope(
                id: UUID(bytes: [1]), origin: Origin(service: "sensor-ingest", site: "farm", slot: 0),
                epoch: Epoch(1), position: 1, name: "", stream: "device/x", version: 1, time: time, recorded: time,
                farm: nil,
                actor: .service("test"), correlation: nil, causation: nil, trace: nil), fact)
    }

    @Test func `old reports are pruned unless trace-ledger lists them as part of a story`() throws {
        var retention = Retention(days: 730) { last, before in
            #expect(last == 0 && before == Self.now.advanced(bySeconds: -730 * 86_400))
            return Self.survey
        }
        let (from, to) = (Self.old.advanced(bySeconds: 7200), Self.old.advanced(bySeconds: 10_800))
        let outcome = run(
            &retention,
            answer: answer(
                "{\"kept\":[{\"place\":\"plot/north\",\"from\":\"\(from)\",\"to\":\"\(to)\",\"devices\":[\"ble:1\"]}]}")
        )
        #expect(outcome.asked.map(\.verb) == ["kept-reports"])
        let body = try JSONValue.parse(try #require(outcome.asked.first).body)
        #expect(try body.get("from", as: Instant.self) == Self.old)
        #expect(try body.get("to", as: Instant.self) == Self.survey.to)
        let pruning = try #require(outcome.pruned.first)
        #expect(
            pruning.positions == 1...4096
                && pruning.kept == [RetainedInterval(place: .plot(PlotID("north")), from: from, to: to)])
        let (kept, other) = (DeviceID("ble:1"), DeviceID("ble:2"))
        for seconds in [7200.0, 9000, 10_800] { #expect(pruning.age(report(kept, seconds)) == nil) }
        for seconds in [0.0, 7199.9, 10_800.1] {
            #expect(pruning.age(report(kept, seconds)) == Self.old.advanced(bySeconds: seconds))
        }
        #expect(pruning.age(report(other, 7200)) == Self.old.advanced(bySeconds: 7200))
        // Stamped by a clock that was ahead; it is not old.
        #expect(pruning.age(report(other, 18_001)) == nil)
        // Only reports of radios are ever pruned.
        let rule = RuleSet(
            rule: RuleID("warm"), place: .store(StoreID("cold")), quantity: .temperature, above: 30, hysteresis: 1,
            enabled: true)
        #expect(pruning.age(told(.sensors(.ruleSet(rule)), 0)) == nil)
        #expect(pruning.age(told(.journal(.clockStepped(ClockStepped(seconds: 61))), 0)) == nil)
    }

    @Test func `old reports stay if trace-ledger does not respond, refuses, responds invalidly or lists all`() throws {
        let odd = [
            RequestOutcome.unknown, answer("{}", status: 503), answer("{}"), answer("[]"),
            answer("{\"kept\":[{\"place\":\"sky/1\",\"from\":\"\(Self.old)\",\"to\":\"\(Self.old)\",\"devices\":[]}]}"),
        ]
        for outcome in odd {
            var retention = Retention(days: 730) { _, _ in Self.survey }
            #expect(run(&retention, answer: outcome).pruned.isEmpty)
            // It sends the request again later, not at once.
            #expect(run(&retention, answer: outcome).surveys == 0)
            let later = Self.wall.advanced(bySeconds: SensorLimits.retentionRetry)
            #expect(run(&retention, answer: answer("{\"kept\":[]}"), at: later).pruned.count == 1)
        }
        var retention = Retention(days: 730) { _, _ in Self.survey }
        let all = try #require(run(&retention, answer: answer("{\"all\":true}")).pruned.first)
        #expect(all.age(report(DeviceID("ble:1"), 0)) == nil && all.kept.isEmpty)
    }

    @Test func `the age of reports follows the clock that was set back, although records are ahead of it`() {
        let right = Self.now.advanced(bySeconds: -5 * 365 * 86_400)
        var retention = Retention(days: 730) { _, before in
            #expect(before == right.advanced(bySeconds: -730 * 86_400))
            return nil
        }
        #expect(run(&retention, answer: .unknown, at: right).surveys == 1)
    }

    @Test func `segments are scanned one by one, then once a day, and never with unlimited retention`() {
        var retention = Retention(days: 730) { last, _ in last < 8192 ? Self.survey : nil }
        #expect(run(&retention, answer: answer("{\"kept\":[]}")).pruned.count == 1)
        // Not again before the journal contains the prune, or the timeout ends.
        #expect(run(&retention, answer: .unknown).surveys == 0)
        let end = Self.wall.advanced(bySeconds: 60)
        #expect(run(&retention, after: 4096, answer: .unknown, at: end).surveys == 1)
        var other = Retention(days: 730) { _, _ in nil }
        #expect(run(&other, answer: .unknown).surveys == 1)
        #expect(run(&other, answer: .unknown, at: Self.wall.advanced(bySeconds: 80_000)).surveys == 0)
        #expect(run(&other, answer: .unknown, at: Self.wall.advanced(bySeconds: 86_400)).surveys == 1)
        var none = Retention.unlimited
        #expect(run(&none, answer: .unknown).surveys == 0)
    }

    @Test func `a report stamped by a clock that was ahead is as old as its own time`() {
        var old = OldReports(positions: 1...4096, reports: 0)
        for seconds in [60.0, 0, 3600, 7200] {
            old.add(report(DeviceID("ble:1"), seconds), before: Self.old.advanced(bySeconds: 3600))
        }
        #expect(old.reports == 2 && old.from == Self.old && old.to == Self.old.advanced(bySeconds: 60))
        #expect(old.spans(Self.old) && !old.spans(Self.old.advanced(bySeconds: 61)))
    }

    @Test func `a segment without old reports is pruned without a request`() throws {
        var retention = Retention(days: 730) { _, _ in OldReports(positions: 1...4096, reports: 0) }
        let outcome = run(&retention, answer: .unknown)
        #expect(outcome.asked.isEmpty && outcome.pruned.count == 1)
    }

    /// The rule that audits rest on: the retained events give the same tables as all events.
    @Test func `a rebuild from the retained events gives the same tables as before the prune`() throws {
        let (primary, second) = (try Bench(), try Bench(slot: 1))
        let begin = primary.now
        let silent = "c0ffee000001"
        _ = try primary.ask(
            "bind-point", "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\",\"device\":\"ble:\(silent)\"}")
        var number: UInt8 = 0
        func hear(_ bench: Bench, _ hours: Double, _ address: String) throws {
            number += 1
            let at = begin.advanced(bySeconds: hours * 3600)
            bench.clock.set(to: max(bench.now, at))
            _ = try bench.ask("ingest-adverts", Bench.ruuvi(20, number, from: address, at: at))
        }
        for hours in [0.0, 1, 2] {
            for one in [silent, "c0ffee000002", "c0ffee000003"] { try hear(primary, hours, one) }
        }
        // The same packet at two slots, one on either side of the pruned period; the device is silent from then on.
        try hear(primary, 2.9999, "c0ffee000004")
        number -= 1
        second.clock.set(to: begin)
        try hear(second, 3.0001, "c0ffee000004")
        try primary.hear(from: second)
        try hear(primary, 30, "c0ffee000002")
        // Received late, with an old time.
        try hear(primary, 1.5, "c0ffee000003")
        let old = try primary.journal().filter { told in
            if case .measured = told.fact { return told.envelope.time < begin.advanced(bySeconds: 3 * 3600) }
            return false
        }.dropLast().map(\.envelope)
        let pruned = JournalPruned(
            first: 1, last: primary.core.log.head.position, positions: old.map(\.position), from: old.map(\.time).min(),
            to: old.map(\.time).max())
        try primary.core.record([Draft(pruned, in: "prunings", by: .service(SensorIngest.name))], at: primary.now)
        _ = try primary.core.commit()
        #expect(old.count == 10)
        func anew(_ gone: Set<Position>) throws -> [TableDigest] {
            try primary.rebuilt(with: [second], without: gone).anew
        }
        let live = try primary.core.tables.digests()
        #expect(try anew([]) == live && anew(Set(old.map(\.position))) == live)
        #expect(try anew(Set(old.prefix(4).map(\.position))) == live)
        // The device with later reports is still known, and so are bindings; of the others nothing is left.
        let devices = primary.core.tables.scan(DeviceRow.self)
        #expect(devices.map(\.key) == ["ble:c0ffee000001", "ble:c0ffee000002"])
        #expect(devices[0].point == PointID("p1") && devices[0].last == nil && devices[1].readings.count == 1)
        #expect(primary.core.tables.get(PrunedRow.self, "sensor-ingest/farm-0")?.events == 10)
        // A report that is missing although it was not pruned is detected.
        let last = try #require(primary.journal().last { $0.envelope.time > begin.advanced(bySeconds: 29 * 3600) })
        #expect(try anew([last.envelope.position]) != live)
    }
}
