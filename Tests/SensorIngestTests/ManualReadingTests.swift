import EventSourcing
import Events
import JSON
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Values that people read themselves")
struct ManualReadingTests {
    /// Returns a bench with a point without a device, and a limit of 8 °C at its place.
    private func bench() throws -> Bench {
        let bench = try Bench()
        #expect(try bench.ask("bind-point", #"{"point":"p1","title":"Top","place":"store/cold"}"#).status == 200)
        let rule = #"{"rule":"warm","place":"store/cold","quantity":"temperature","above":8}"#
        #expect(try bench.ask("set-rule", rule).status == 200)
        return bench
    }

    private func row(_ celsius: Double, at time: Instant? = nil, point: String = "p1") -> String {
        let at = time.map { #","at":"\#($0)""# } ?? ""
        return #"{"point":"\#(point)"\#(at),"readings":[{"quantity":"temperature","value":\#(celsius)}]}"#
    }

    private func record(_ bench: Bench, _ rows: [String], check: Bool = false) throws -> (recorded: Int, [String]) {
        let body = #"{"rows":[\#(rows.joined(separator: ","))],"check":\#(check)}"#
        let json = try bench.ask("record-readings", body).json
        let errors = try #require(json["errors"]?.array).map { error in
            "\(try error.get("row", as: Int.self)) \(try error.get("detail", as: String.self))"
        }
        return (try json.get("recorded"), errors)
    }

    private func facts(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            switch recorded.fact {
            case .measured(let event): "\(event.device) \(event.readings[0].value)"
            case .alarmRaised(let event): "raised \(event.value)"
            case .alarmCleared(let event): "cleared \(event.value)"
            default: nil
            }
        }
    }

    @Test func `recorded values are reports of their point by the person, judged in the order of time`() throws {
        let bench = try bench()
        let earlier = bench.now.advanced(bySeconds: -7200)
        let (recorded, errors) = try record(bench, [row(9.5), row(4, at: earlier)])
        #expect(recorded == 2 && errors.isEmpty)
        #expect(try facts(bench) == ["manual:p1 4.0", "manual:p1 9.5", "raised 9.5"])
        let envelope = try #require(try bench.journal().first { $0.envelope.time == earlier }?.envelope)
        #expect(envelope.actor == .person(PersonID("p1")))
        #expect(try #require(try bench.ask("devices", "{}").json["items"]?.array).isEmpty)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a row that cannot be meant has an error of its own, and then no row is recorded`() throws {
        let bench = try bench()
        let future = bench.now.advanced(bySeconds: 3600)
        let old = bench.now.advanced(bySeconds: -500 * 86_400)
        let (recorded, errors) = try record(
            bench, [row(4), row(4, at: future), row(4, point: "p9"), row(900), row(4, at: old)])
        #expect(recorded == 0)
        #expect(
            errors == [
                "1 The time is in the future.", "2 There is no measuring point p9.",
                "3 temperature has to be between -90.0 and 150.0 Cel; the row has 900.0.",
                "4 The time is more than 400 days ago.",
            ])
        #expect(try facts(bench).isEmpty)
    }

    @Test func `a value from a phone whose clock is slightly ahead has the time of its arrival`() throws {
        let bench = try bench()
        let (recorded, _) = try record(bench, [row(4, at: bench.now.advanced(bySeconds: 60))])
        #expect(recorded == 1)
        #expect(try bench.journal().last?.envelope.time == bench.now)
    }

    @Test func `the source of recorded values cannot be assigned to a point`() throws {
        let body = #"{"point":"p1","title":"Top","place":"store/cold","device":"manual:p2"}"#
        #expect(try bench().ask("bind-point", body).status == 422)
    }

    @Test func `a check records nothing`() throws {
        let bench = try bench()
        let (recorded, errors) = try record(bench, [row(4)], check: true)
        #expect(recorded == 0 && errors.isEmpty)
        #expect(try facts(bench).isEmpty)
    }
}
