import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Sensor alarms")
struct AlarmTests {
    private let rule = RuleSet(
        rule: RuleID("warm"), place: .store(StoreID("cold")), quantity: .temperature, above: 30, below: 2,
        hysteresis: 0.5,
        enabled: true)
    private let point = PointID("p1")
    private let device = DeviceID("ble:cbb8334c884f")

    private func command(_ value: Double, enabled: Bool = true) -> Alarm.Command {
        var rule = rule
        rule.enabled = enabled
        return Alarm.Command(rule: rule, point: point, place: rule.place, device: device, value: value)
    }

    private func raised(_ value: Double, limit: Double) -> SensorsEvent {
        .alarmRaised(
            AlarmRaised(
                rule: rule.rule, point: point, place: rule.place, device: device, quantity: .temperature, value: value,
                limit: limit))
    }

    private func cleared(_ value: Double) -> SensorsEvent {
        .alarmCleared(
            AlarmCleared(
                rule: rule.rule, point: point, place: rule.place, device: device, quantity: .temperature, value: value))
    }

    @Test func `an alarm is raised beyond a limit, not at it`() throws {
        try given(Alarm.self).when(command(30)).then()
        try given(Alarm.self).when(command(30.1)).then(raised(30.1, limit: 30))
        try given(Alarm.self).when(command(2)).then()
        try given(Alarm.self).when(command(1.9)).then(raised(1.9, limit: 2))
        try given(Alarm.self).when(command(30.1, enabled: false)).then()
    }

    @Test func `an alarm is raised once, and cleared only well inside both limits`() throws {
        let on = [raised(30.1, limit: 30)]
        try given(Alarm.self, on).when(command(35)).then()
        try given(Alarm.self, on).when(command(29.6)).then()
        try given(Alarm.self, on).when(command(29.5)).then(cleared(29.5))
        try given(Alarm.self, on).when(command(2.2)).then()
        try given(Alarm.self, on).when(command(1)).then()
        try given(Alarm.self, on + [cleared(29.5)]).when(command(30.1)).then(raised(30.1, limit: 30))
        try given(Alarm.self, on).when(command(40, enabled: false)).then(cleared(40))
    }

    /// Limits with hardly a value between them, or between one of them and the end of the possible range.
    private static let narrow: [(Quantity, below: Double?, above: Double?, over: Double)] = [
        (.humidity, 92, 95, 93.5), (.temperature, 0, 1, 0.5), (.ph, 6.5, 6.6, 6.55), (.leafWetness, nil, 1, 0),
        (.soilMoisture, 99, nil, 100), (.battery, nil, 0, 0), (.illuminance, nil, 0.5, 0), (.ph, 13.9, nil, 14),
        (.rssi, -80.5, -80, -80.25),
    ]

    @Test func `an alarm whose limits are close together can be cleared, also with an older journal's hysteresis`()
        throws
    {
        var ended = 0
        for (quantity, below, above, over) in Self.narrow {
            let bench = try Bench()
            let limits = [below.map { "\"below\":\($0)" }, above.map { "\"above\":\($0)" }].compactMap { $0 }
            let members = limits.joined(separator: ",")
            let answer = try bench.ask(
                "set-rule",
                "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"\(quantity.rawValue)\",\(members)}")
            #expect(answer.status == 200)
            guard case .ruleSet(let usual)? = try bench.journal().last?.fact else { throw Missing() }
            var older = usual
            older.hysteresis = quantity.usualHysteresis(above ?? below ?? 0)
            for rule in [usual, older] {
                let command = Alarm.Command(
                    rule: rule, point: point, place: rule.place, device: device, value: over)
                #expect(Alarm.decide(command, in: Alarm.State(isOn: true)).count == 1, "\(rule)")
                ended += 1
            }
        }
        print("alarms: \(ended) over narrow limits ended")
        #expect(ended == 18)
    }

    // MARK: In the service

    /// Returns a Ruuvi packet (data format 5) with this temperature; the other values are "not available".
    private func packet(_ celsius: Double, _ number: UInt16) -> String {
        let raw = UInt16(bitPattern: Int16((celsius / 0.005).rounded()))
        let tail = Hex.encode([UInt8(number >> 8), UInt8(number & 0xFF)]) + "cbb8334c884f"
        return "0201061bff990405" + Hex.encode([UInt8(raw >> 8), UInt8(raw & 0xFF)])
            + "ffffffff800080008000ffffff" + tail
    }

    private func hear(_ bench: Bench, _ celsius: Double, _ number: UInt16, at time: Instant? = nil) throws {
        let at = time.map { ",\"at\":\"\($0)\"" } ?? ""
        let advert = "{\"address\":\"cb:b8:33:4c:88:4f\",\"hex\":\"\(packet(celsius, number))\"\(at)}"
        let answer = try bench.ask("ingest-adverts", "{\"adverts\":[\(advert)]}")
        #expect(try answer.json.get("measurements", as: Int.self) == 1, "\(celsius)")
    }

    private func benchWithAlarmRule(_ slot: Int = 0) throws -> Bench {
        let bench = try Bench(slot: slot)
        #expect(
            try bench.ask(
                "bind-point", "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\",\"device\":\"\(device)\"}"
            ).status == 200)
        #expect(
            try bench.ask(
                "set-rule", "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30}"
            ).status == 200)
        return bench
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            switch recorded.fact {
            case .alarmRaised(let event): "raised \(event.value)"
            case .alarmCleared(let event): "cleared \(event.value)"
            case .measured, .rawReported, .reportHeard, .beaconHeard, .quarantined, .pointBound, .ruleSet,
                .deviceIdentified,
                .valuesRefused, .advertKept, .advertDecoded, .alarmNotificationRequested,
                .alarmAcknowledged, .alarmShelved, .onCallSet, .deviceCalibrated, .pointRetired,
                .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed, .deviceRemoved, .deviceLeft,
                .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
                nil
            }
        }
    }

    @Test func `a value that oscillates around the limit raises one alarm`() throws {
        let bench = try benchWithAlarmRule()
        for number in 0..<100 {
            try hear(bench, number.isMultiple(of: 2) ? 29.9 : 30.1, UInt16(number))
            try bench.wait(seconds: 10)
        }
        #expect(try alarms(bench) == ["raised 30.1"])
        // The default hysteresis of a temperature is half a degree.
        try hear(bench, 29.55, 200)
        #expect(try alarms(bench) == ["raised 30.1"])
        try hear(bench, 29.5, 201)
        #expect(try alarms(bench) == ["raised 30.1", "cleared 29.5"])
        try hear(bench, 30.1, 202)
        #expect(try alarms(bench).count == 3)
    }

    @Test func `an alarm is recorded with the report that raised it as its cause`() throws {
        let bench = try benchWithAlarmRule()
        try hear(bench, 31, 1)
        let journal = try bench.journal()
        let report = try #require(journal.first { if case .measured = $0.fact { true } else { false } })
        let alarm = try #require(journal.last)
        #expect(alarm.envelope.stream == "alarm/warm/p1")
        #expect(alarm.envelope.causation == report.envelope.id)
        #expect(alarm.envelope.time == report.envelope.time)
        #expect(alarm.envelope.actor == .node(device))
    }

    @Test func `a report older than the device's newest one raises no alarm`() throws {
        let bench = try benchWithAlarmRule()
        try hear(bench, 20, 1)
        let before = bench.now.advanced(bySeconds: -600)
        try hear(bench, 35, 2, at: before)
        #expect(try alarms(bench).isEmpty)
        #expect(try bench.measured().count == 2)
    }

    @Test func `reports after the clock was set back are evaluated, but late ones are not`() throws {
        for isAnotherSlot in [false, true] {
            let primary = try benchWithAlarmRule()
            let second = try Bench(slot: 1)
            let start = primary.now
            for (seconds, celsius, late) in [(7200.0, 20.0, 0.0), (0, 31, 0), (1, 20, -600)] {
                for bench in [primary, second] { bench.clock.set(to: start.advanced(bySeconds: seconds)) }
                try hear(
                    isAnotherSlot ? second : primary, celsius, UInt16(celsius),
                    at: primary.now.advanced(bySeconds: late))
            }
            if isAnotherSlot { try primary.hear(from: second) }
            #expect(try alarms(primary) == ["raised 31.0"], "received by another slot: \(isAnotherSlot)")
        }
    }

    @Test func `a late report within one batch raises no alarm`() throws {
        let bench = try benchWithAlarmRule()
        let adverts = [(20.0, UInt16(1), 0.0), (35, 2, -600)].map { celsius, number, seconds in
            "{\"address\":\"cb:b8:33:4c:88:4f\",\"hex\":\"\(packet(celsius, number))\""
                + ",\"at\":\"\(bench.now.advanced(bySeconds: seconds))\"}"
        }
        _ = try bench.ask("ingest-adverts", "{\"adverts\":[\(adverts.joined(separator: ","))]}")
        #expect(try bench.measured().count == 2)
        #expect(try alarms(bench).isEmpty)
    }

    @Test func `the reports of a batch are evaluated in their order`() throws {
        let bench = try benchWithAlarmRule()
        let adverts = [(31.0, UInt16(1)), (32, 2), (20, 3), (33, 4)].map { celsius, number in
            "{\"address\":\"cb:b8:33:4c:88:4f\",\"hex\":\"\(packet(celsius, number))\"}"
        }
        _ = try bench.ask("ingest-adverts", "{\"adverts\":[\(adverts.joined(separator: ","))]}")
        #expect(try alarms(bench) == ["raised 31.0", "cleared 20.0", "raised 33.0"])
    }

    @Test func `only slot 0 evaluates another slot's reports, and only once`() throws {
        let primary = try benchWithAlarmRule()
        let second = try Bench(slot: 1)
        for (number, celsius) in [31.0, 20, 33].enumerated() {
            try second.wait(seconds: 1)
            try hear(second, celsius, UInt16(number))
        }
        #expect(try alarms(second).isEmpty)
        primary.clock.set(to: second.now)
        try primary.hear(from: second)
        #expect(try alarms(primary).last == "raised 33.0")
        let count = try alarms(primary).count
        let third = try Bench(slot: 2)
        try third.hear(from: second)
        #expect(try alarms(third).isEmpty)
        #expect(try alarms(primary).count == count)
    }

    @Test func `slot 0 evaluates every report in a page of another slot, once it knows the device`() throws {
        let primary = try benchWithAlarmRule()
        try hear(primary, 20, 100)
        let second = try Bench(slot: 1)
        for (number, celsius) in [31.0, 20, 33].enumerated() {
            try second.wait(seconds: 1)
            try hear(second, celsius, UInt16(number))
        }
        primary.clock.set(to: second.now)
        try primary.hear(from: second)
        #expect(try alarms(primary) == ["raised 31.0", "cleared 20.0", "raised 33.0"])
        let (anew, live) = try primary.rebuilt(with: [second])
        #expect(anew == live)
        #expect(live.filter { $0.rows > 0 }.count == 8)
    }

    @Test func `rules and points are accepted by slot 0 only`() throws {
        let second = try Bench(slot: 1)
        let answer = try second.ask(
            "set-rule", "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30}")
        #expect(answer.status == 421)
        #expect(try answer.json.get("title", as: String.self) == "not-the-chief")
    }

    @Test(arguments: [
        ("set-rule", "{\"rule\":\"w\",\"place\":\"store/c\",\"quantity\":\"temperature\"}", 422, "no-limit"),
        ("set-rule", "{\"rule\":\"w\",\"place\":\"store/c\",\"quantity\":\"heat\",\"above\":3}", 400, "malformed"),
        ("set-rule", "{\"rule\":\"w\",\"place\":\"barn\",\"quantity\":\"temperature\",\"above\":3}", 400, "malformed"),
        (
            "set-rule", "{\"rule\":\"w\",\"place\":\"store/c\",\"quantity\":\"ph\",\"above\":3,\"below\":3}", 422,
            "always-on"
        ),
        ("set-rule", "{\"rule\":\"w|x\",\"place\":\"store/c\",\"quantity\":\"ph\",\"above\":3}", 400, "malformed"),
        (
            "set-rule", "{\"rule\":\"w\",\"place\":\"store/c\",\"quantity\":\"ph\",\"above\":3,\"hysteresis\":-1}", 400,
            "malformed"
        ),
        (
            "set-rule",
            #"{"rule":"w","place":"store/c","quantity":"humidity","above":95,"below":92,"hysteresis":2}"#, 422,
            "never-over"
        ),
        (
            "set-rule", #"{"rule":"w","place":"store/c","quantity":"leaf-wetness","above":1,"hysteresis":2}"#, 422,
            "never-over"
        ),
        ("bind-point", "{\"point\":\"p2\",\"title\":\" \",\"place\":\"store/c\"}", 400, "malformed"),
        (
            "bind-point", "{\"point\":\"p2\",\"title\":\"T\",\"place\":\"store/c\",\"device\":\"ble:cbb8334c884f\"}",
            409,
            "bound-elsewhere"
        ),
        ("water-plants", "{}", 404, "unknown-verb"),
    ])
    func `an invalid setting is refused with its code`(verb: String, body: String, status: Int, code: String) throws {
        let bench = try benchWithAlarmRule()
        let head = bench.core.log.head.position
        let answer = try bench.ask(verb, body)
        #expect(answer.status == status)
        #expect(try answer.json.get("title", as: String.self) == code)
        #expect(bench.core.log.head.position == head)
    }

    @Test(arguments: [
        ("bind-point", #""place":"store/other","device":"ble:cbb8334c884f""#),
        ("bind-point", #""place":"store/cold""#),
        ("set-rule", #""place":"store/other","quantity":"temperature","above":30"#),
        ("set-rule", #""place":"store/cold","quantity":"humidity","above":30"#),
        ("set-rule", #""place":"store/cold","quantity":"temperature","above":30,"enabled":false"#),
    ])
    func `a change that ends the evaluation of an alarm clears it`(verb: String, members: String) throws {
        let bench = try benchWithAlarmRule()
        try hear(bench, 31, 1)
        let name = verb == "set-rule" ? #""rule":"warm""# : #""point":"p1","title":"Top""#
        let answer = try bench.ask(verb, "{\(name),\(members)}")
        #expect(answer.status == 200)
        let last = try #require(try bench.journal().last)
        guard case .alarmCleared(let over) = last.fact else { throw Missing() }
        #expect(
            over
                == AlarmCleared(
                    rule: rule.rule, point: point, place: rule.place, device: device, quantity: .temperature, value: 31)
        )
        #expect(last.envelope.stream == "alarm/warm/p1")
        #expect(last.envelope.actor == .person(PersonID("p1")))
        let row = try #require(bench.core.tables.get(AlarmRow.self, "warm|p1"))
        #expect(row.cleared != nil)
        // The alarm is not cleared a second time by the next tick or the next change.
        try bench.wait(seconds: 1)
        _ = try bench.ask(verb, #"{"point":"p1","title":"Top","rule":"warm",\#(members)}"#)
        #expect(try alarms(bench) == ["raised 31.0", "cleared 31.0"])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    private struct Missing: Error {}

    @Test func `an alarm stays raised when an unrelated point or rule changes`() throws {
        let bench = try benchWithAlarmRule()
        try hear(bench, 31, 1)
        let changes = [
            ("bind-point", #""point":"p1","title":"Upper shelf","place":"store/cold","device":"ble:cbb8334c884f""#),
            ("bind-point", #""point":"p1","title":"Top","place":"store/cold","device":"ble:000000000001""#),
            ("bind-point", #""point":"p2","title":"Door","place":"store/other""#),
            ("set-rule", #""rule":"warm","place":"store/cold","quantity":"temperature","above":30.5"#),
            ("set-rule", #""rule":"damp","place":"store/other","quantity":"humidity","above":90"#),
        ]
        for (verb, members) in changes { #expect(try bench.ask(verb, "{\(members)}").status == 200, "\(members)") }
        #expect(try alarms(bench) == ["raised 31.0"])
    }

    @Test func `an alarm that was orphaned in an older journal is cleared once, at the first tick`() throws {
        let watchedStill = AlarmRaised(
            rule: rule.rule, point: PointID("p2"), place: rule.place, device: DeviceID("ble:2"), quantity: .temperature,
            value: 33, limit: 30)
        let bench = try Bench(before: [
            PointBound(point: point, title: "Top", place: rule.place, device: device),
            PointBound(point: PointID("p2"), title: "Door", place: rule.place, device: DeviceID("ble:2")),
            rule, raised(31, limit: 30).event, watchedStill,
            PointBound(point: point, title: "Top", place: .store(StoreID("other")), device: device),
        ])
        #expect(try alarms(bench) == ["raised 31.0", "raised 33.0"])
        try bench.wait(seconds: 1)
        #expect(try alarms(bench) == ["raised 31.0", "raised 33.0", "cleared 31.0"])
        #expect(try bench.journal().last?.envelope.actor == .service(SensorIngest.name))
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a rule that moves to another place is no longer evaluated at the old one`() throws {
        let bench = try benchWithAlarmRule()
        _ = try bench.ask(
            "set-rule", "{\"rule\":\"warm\",\"place\":\"store/other\",\"quantity\":\"temperature\",\"above\":30}")
        try hear(bench, 35, 1)
        #expect(try alarms(bench).isEmpty)
    }
}
