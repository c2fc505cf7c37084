import Events
import JSON
import System
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("On-call weeks")
struct OnCallWeeksTests {
    private static let address = "cbb8334c884f"

    private func time(_ text: String) throws -> Instant { try #require(Instant(text)) }

    private func rota(_ people: [String], swaps: [OnCallSwap] = []) throws -> OnCallRota {
        let zone = try #require(ZoneFile.read("Europe/Vienna").flatMap(Zone.init(file:)))
        // Monday, 08:00 in Vienna, in the week in which summer time ends (25 October 2026).
        let weeks = OnCallWeeks(
            begins: try time("2026-10-19T06:00:00Z"), zone: "Europe/Vienna", people: people.map(PersonID.init(_:)),
            swaps: swaps)
        return OnCallRota(weeks, in: zone)
    }

    @Test func `people take turns week by week, at the same hour of the clocks also when summer time ends`() throws {
        let rota = try rota(["anna", "ben", "cleo"])
        for (text, person) in [
            ("2026-10-19T06:00:00Z", "anna"), ("2026-10-26T06:59:59Z", "anna"), ("2026-10-26T07:00:00Z", "ben"),
            ("2026-11-02T07:00:00Z", "cleo"), ("2026-11-09T07:00:00Z", "anna"),
            // Before the first week the rota runs, too.
            ("2026-10-19T05:59:59Z", "cleo"), ("2026-09-28T06:00:00Z", "anna"),
        ] { #expect(rota.person(at: try time(text)) == PersonID(person), "\(text)") }
        let weeks = rota.weeks(from: try time("2026-10-21T12:00:00Z"), count: 3)
        let begins = try ["2026-10-19T06:00:00Z", "2026-10-26T07:00:00Z", "2026-11-02T07:00:00Z"].map(time)
        #expect(weeks.map(\.begins) == begins)
        #expect(weeks.map(\.ends).dropLast() == weeks.map(\.begins).dropFirst())
    }

    @Test func `a swap changes one week only, named by any time in it`() throws {
        let swap = OnCallSwap(week: try time("2026-10-29T12:00:00Z"), person: PersonID("cleo"))
        let weeks = try rota(["anna", "ben"], swaps: [swap]).weeks(from: try time("2026-10-19T06:00:00Z"), count: 4)
        #expect(weeks.map(\.person.rawValue) == ["anna", "cleo", "anna", "ben"])
        #expect(weeks.map(\.isSwapped) == [false, true, false, false])
    }

    // MARK: In the service

    /// Returns a bench at a time with a limit, and the given steps and weeks.
    private func bench(at text: String, steps: String, zone: String = "Europe/Vienna") throws -> Bench {
        let bench = try Bench()
        bench.clock.set(to: try time(text))
        try bench.wait(seconds: 0.1)
        let weeks = #"{"begins":"2026-10-19T06:00:00Z","zone":"\#(zone)","people":["anna","ben"]}"#
        for (verb, body) in [
            (
                "bind-point",
                #"{"point":"p1","title":"Top","place":"store/cold","device":"ble:\#(Self.address)"}"#
            ),
            ("set-rule", #"{"rule":"warm","place":"store/cold","quantity":"temperature","above":30}"#),
            ("set-on-call", #"{"steps":\#(steps),"weeks":\#(weeks)}"#),
        ] { #expect(try bench.ask(verb, body).status == 200, "\(body)") }
        return bench
    }

    private func notified(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            guard case .alarmNotificationRequested(let event) = recorded.fact, event.rule == RuleID("warm") else {
                return nil
            }
            return "\(event.step) \(event.people.map(\.rawValue).joined(separator: ","))"
        }
    }

    private func report(_ bench: Bench, _ celsius: Double, _ number: UInt8) throws {
        _ = try bench.ask("ingest-adverts", Bench.ruuvi(celsius, number, from: Self.address, at: bench.now))
    }

    @Test func `the person on call is notified at once, and the others later`() throws {
        let steps = #"[{"afterMinutes":0,"people":[],"onCall":true},{"afterMinutes":15,"people":["cleo"]}]"#
        let bench = try bench(at: "2026-10-26T06:50:00Z", steps: steps)
        try report(bench, 31, 1)
        #expect(try notified(bench) == ["0 anna"])
        bench.clock.advance(bySeconds: 901)
        try bench.wait(seconds: 2)
        #expect(try notified(bench) == ["0 anna", "1 cleo"])
        // The next alarm is in the next week.
        try report(bench, 20, 2)
        bench.clock.advance(bySeconds: 2000)
        try report(bench, 31, 3)
        #expect(try notified(bench).last == "0 ben")
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a person who is named in the step and on call is notified once`() throws {
        let bench = try bench(
            at: "2026-10-20T12:00:00Z", steps: #"[{"afterMinutes":0,"people":["cleo","anna"],"onCall":true}]"#)
        try report(bench, 31, 1)
        #expect(try notified(bench) == ["0 cleo,anna"])
    }

    @Test func `a server without the time zone notifies all who take turns`() {
        let weeks = OnCallWeeks(
            begins: .init(microseconds: 0), zone: "Moon/Base", people: ["anna", "ben"].map(PersonID.init(_:)))
        let setting = OnCallSet(
            steps: [OnCallStep(afterMinutes: 0, people: [PersonID("cleo")], onCall: true)], weeks: weeks)
        let onCall = OnCall(setting, zone: { _ in nil })
        #expect(onCall.people(ofStep: 0, at: Instant(microseconds: 0)).map(\.rawValue) == ["cleo", "anna", "ben"])
        #expect(onCall.rota == nil)
    }

    @Test func `the setting is listed with the person of each week`() throws {
        let steps = #"[{"afterMinutes":0,"people":[],"onCall":true}]"#
        let bench = try bench(at: "2026-10-26T06:50:00Z", steps: steps)
        let answer = try bench.ask("on-call", "{}").json
        let people = try answer.get("upcoming", as: [JSONValue].self).map { try $0.get("person", as: String.self) }
        #expect(people == ["anna", "ben", "anna", "ben", "anna", "ben", "anna", "ben", "anna"])
    }

    @Test func `weeks that cannot be meant are refused with what to do`() throws {
        let bench = try Bench()
        let steps = #"[{"afterMinutes":0,"people":[],"onCall":true}]"#
        let week = #""begins":"2026-10-19T06:00:00Z""#
        for (members, status) in [
            ("", 422), (#","weeks":{\#(week),"zone":"Europe/Vienna","people":[]}"#, 422),
            (#","weeks":{\#(week),"zone":"Moon/Base","people":["anna"]}"#, 422),
            (#","weeks":{"begins":"Monday","zone":"UTC","people":["anna"]}"#, 400),
        ] { #expect(try bench.ask("set-on-call", #"{"steps":\#(steps)\#(members)}"#).status == status, "\(members)") }
    }
}
