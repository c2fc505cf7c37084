import EventSourcing
import Events
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Limits of points, of changes and of several reports")
struct LimitTests {
    private static let address = "cbb8334c884f"
    private static let other = "c0ffee334c88"

    /// Returns a bench with two points in one store.
    private func bench() throws -> Bench {
        let bench = try Bench()
        for (point, address) in [("p1", Self.address), ("p2", Self.other)] {
            let body = #"{"point":"\#(point)","title":"\#(point)","place":"store/cold","device":"ble:\#(address)"}"#
            #expect(try bench.ask("bind-point", body).status == 200)
        }
        return bench
    }

    private func rule(_ bench: Bench, _ members: String, name: String = "warm", status: Int = 200) throws {
        let body = #"{"rule":"\#(name)","quantity":"temperature",\#(members)}"#
        let answer = try bench.ask("set-rule", body)
        #expect(answer.status == status, "\(members)")
    }

    private func report(_ bench: Bench, _ celsius: Double, _ number: Int, from address: String = address) throws {
        _ = try bench.ask("ingest-adverts", Bench.ruuvi(celsius, UInt8(number % 250), from: address, at: bench.now))
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            if case .alarmRaised(let event) = recorded.fact {
                let change = event.overMinutes.map { " in \($0)" } ?? ""
                return "\(event.rule) raised \(event.point) \((event.value * 10).rounded() / 10)\(change)"
            }
            if case .alarmCleared(let event) = recorded.fact { return "\(event.rule) cleared \(event.point)" }
            return nil
        }
    }

    // MARK: Several reports

    @Test func `a limit of two of three reports raises no alarm for a single spike`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","above":8,"reports":{"beyond":2,"of":3}"#)
        for (number, celsius) in [5.0, 20, 5, 5, 20, 5, 5].enumerated() { try report(bench, celsius, number) }
        #expect(try alarms(bench).isEmpty)
        for (number, celsius) in [9.0, 5, 9].enumerated() { try report(bench, celsius, 20 + number) }
        #expect(try alarms(bench) == ["warm raised p1 9.0"])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `reports of another device of the point are not counted`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","above":8,"reports":{"beyond":2,"of":2}"#)
        try report(bench, 9, 1)
        try report(bench, 9, 2, from: Self.other)
        #expect(try alarms(bench).isEmpty, "two points, one report each")
        for (point, device) in [("p2", ""), ("p1", #","device":"ble:\#(Self.other)""#)] {
            let body = #"{"point":"\#(point)","title":"\#(point)","place":"store/cold"\#(device)}"#
            #expect(try bench.ask("bind-point", body).status == 200)
        }
        try report(bench, 9, 3, from: Self.other)
        #expect(try alarms(bench).isEmpty, "the first report of the new device")
        try report(bench, 9, 4, from: Self.other)
        #expect(try alarms(bench) == ["warm raised p1 9.0"])
    }

    // MARK: Changes

    @Test func `a rise within the minutes raises an alarm, and a slow one does not`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","above":3,"overMinutes":15"#)
        // 12 degrees in two hours, 1.5 in each quarter of an hour.
        for minute in 0..<120 {
            try report(bench, 2 + Double(minute) * 0.1, minute)
            bench.clock.advance(bySeconds: 60)
        }
        #expect(try alarms(bench).isEmpty)
        for minute in 0..<10 {
            try report(bench, 14 + Double(minute) * 0.5, 120 + minute)
            bench.clock.advance(bySeconds: 60)
        }
        let raised = try alarms(bench)
        #expect(raised.count == 1 && raised[0].hasSuffix("in 15"), "\(raised)")
        // The value stays: after the window it has not changed any more.
        for minute in 0..<20 {
            try report(bench, 18.5, 140 + minute)
            bench.clock.advance(bySeconds: 60)
        }
        #expect(try alarms(bench).dropFirst() == ["warm cleared p1"])
    }

    @Test func `a fall is a negative change with a limit of its own`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","below":-2,"overMinutes":30"#)
        for (number, celsius) in [10.0, 20, 18.5].enumerated() {
            try report(bench, celsius, number)
            bench.clock.advance(bySeconds: 60)
        }
        #expect(try alarms(bench).isEmpty, "a rise by 10, a fall by 1.5")
        try report(bench, 17.9, 9)
        #expect(try alarms(bench) == ["warm raised p1 -2.1 in 30"])
    }

    @Test func `after a restart an alarm of a change stays on until values cover the whole window again`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","above":3,"overMinutes":15"#)
        try report(bench, 4, 1)
        bench.clock.advance(bySeconds: 60)
        try report(bench, 9, 2)
        try bench.restart()
        for minute in 0..<14 {
            bench.clock.advance(bySeconds: 60)
            try report(bench, 9, 3 + minute)
        }
        #expect(try alarms(bench) == ["warm raised p1 5.0 in 15"])
        for minute in 0..<3 {
            bench.clock.advance(bySeconds: 60)
            try report(bench, 9, 30 + minute)
        }
        #expect(try alarms(bench) == ["warm raised p1 5.0 in 15", "warm cleared p1"])
    }

    @Test func `the window of a fast sensor stays small and knows the extremes`() {
        var window = ChangeWindow(minutes: 10)
        var source = SplitMix64(seed: 7)
        var values: [(at: Double, value: Double)] = []
        var value = 10.0
        let start = Instant(microseconds: 1_784_000_000_000_000)
        var wrong = 0
        for second in 0..<7200 {
            value += Double.random(in: -0.2...0.2, using: &source)
            let at = Double(second)
            values.append((at, value))
            window.add(value, at: start.advanced(bySeconds: at))
            let changes = window.changes(to: value)
            // Exact within the window, and at most one span (20 s) beyond it.
            let near = values.filter { $0.at >= at - 600 }.map(\.value)
            let far = values.filter { $0.at >= at - 621 }.map(\.value)
            let (low, lowest) = (near.min() ?? 0, far.min() ?? 0)
            if changes.rise < value - low - 1e-9 || changes.rise > value - lowest + 1e-9 { wrong += 1 }
        }
        print("change window: \(values.count) values, \(wrong) wrong")
        #expect(wrong == 0 && values.count == 7200)
    }

    // MARK: Points

    @Test func `a limit of a point replaces that of its place there, and only there`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","above":8"#)
        try report(bench, 9, 1)
        #expect(try alarms(bench) == ["warm raised p1 9.0"])
        // The new limit ends the alarm of the one that it replaces.
        try rule(bench, #""point":"p1","above":12"#, name: "door")
        #expect(try alarms(bench).last == "warm cleared p1")
        try report(bench, 11, 2)
        try report(bench, 11, 3, from: Self.other)
        #expect(try alarms(bench).dropFirst(2) == ["warm raised p2 11.0"])
        try report(bench, 13, 4)
        #expect(try alarms(bench).last == "door raised p1 13.0")
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a limit of a point goes with it to another place`() throws {
        let bench = try bench()
        try rule(bench, #""point":"p1","above":12"#, name: "door")
        let body = #"{"point":"p1","title":"p1","place":"store/barn","device":"ble:\#(Self.address)"}"#
        #expect(try bench.ask("bind-point", body).status == 200)
        try report(bench, 13, 1)
        let raised = try bench.journal().compactMap { recorded in
            if case .alarmRaised(let event) = recorded.fact { event.place.description } else { nil }
        }
        #expect(raised == ["store/barn"])
    }

    @Test func `a limit of a point that is switched off switches that of its place off there`() throws {
        let bench = try bench()
        try rule(bench, #""place":"store/cold","above":8"#)
        try rule(bench, #""point":"p1","above":8,"enabled":false"#, name: "door")
        try report(bench, 20, 1)
        #expect(try alarms(bench).isEmpty)
        // A limit of change is of another kind and replaces no limit of the value.
        try rule(bench, #""point":"p1","above":3,"overMinutes":5"#, name: "door")
        try report(bench, 20.5, 2)
        #expect(try alarms(bench) == ["warm raised p1 20.5"])
    }

    @Test func `limits that cannot work are refused with what to do`() throws {
        let bench = try bench()
        for (members, status) in [
            (#""above":8"#, 422), (#""point":"nowhere","above":8"#, 404),
            (#""place":"store/cold","above":-1,"overMinutes":5"#, 422),
            (#""place":"store/cold","below":1,"overMinutes":5"#, 422),
            (#""place":"store/cold","above":1,"overMinutes":0"#, 400),
            (#""place":"store/cold","above":1,"overMinutes":2000"#, 400),
            (#""place":"store/cold","above":1,"reports":{"beyond":0,"of":3}"#, 422),
            (#""place":"store/cold","above":1,"reports":{"beyond":4,"of":3}"#, 422),
            (#""place":"store/cold","above":1,"reports":{"beyond":2,"of":21}"#, 422),
            (#""place":"store/cold","above":3,"overMinutes":5,"hysteresis":2"#, 422),
        ] { try rule(bench, members, status: status) }
    }
}
