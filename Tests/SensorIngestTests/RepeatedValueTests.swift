import Events
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Values that zigbee2mqtt repeats")
struct RepeatedValueTests {
    private let topic = "zigbee2mqtt/cold store"

    private func state(_ celsius: Double, _ humidity: Double, seen: Instant? = nil) -> String {
        let time = seen.map { #","last_seen":"\#($0)""# } ?? ""
        return #"{"temperature":\#(celsius),"humidity":\#(humidity)\#(time)}"#
    }

    private func raised(_ broker: TestBroker) throws -> [Double] {
        try broker.bench.journal().compactMap { if case .alarmRaised(let event) = $0.fact { event.value } else { nil } }
    }

    /// Sets a limit of 8 °C, which may be exceeded for ten minutes.
    private func limit(_ broker: TestBroker) throws {
        let point = #"{"point":"p","title":"P","place":"store/cold","device":"zb:00124b001e17efa8"}"#
        #expect(try broker.bench.ask("bind-point", point).status == 200)
        let rule = #"{"rule":"warm","place":"store/cold","quantity":"temperature","above":8,"forSeconds":600}"#
        #expect(try broker.bench.ask("set-rule", rule).status == 200)
    }

    @Test(arguments: [true, false])
    func `an alarm is raised while the temperature is constant and another quantity changes`(isTimed: Bool) throws {
        let broker = try TestBroker()
        try broker.list()
        try limit(broker)
        for turn in 0...2 {
            #expect(try raised(broker) == [], "turn \(turn)")
            try broker.publish(topic, state(9, 60 + Double(turn), seen: isTimed ? broker.bench.now : nil))
            broker.bench.clock.advance(bySeconds: 300)
        }
        #expect(try raised(broker) == [9])
    }

    @Test func `a limit that is set while the value is constant raises its alarm`() throws {
        let broker = try TestBroker()
        try broker.list()
        for turn in 0...5 {
            if turn == 2 { try limit(broker) }
            try broker.publish(topic, state(9, 60))
            broker.bench.clock.advance(bySeconds: 301)
        }
        #expect(try raised(broker) == [9])
    }

    @Test func `without last seen, equal values are a report every few minutes and no more often`() throws {
        let broker = try TestBroker()
        try broker.list()
        for _ in 0..<21 {
            try broker.publish(topic, state(4.5, 80))
            broker.bench.clock.advance(bySeconds: 60)
        }
        let both = [Reading(.temperature, 4.5), Reading(.humidity, 80)]
        #expect(try broker.readings() == Array(repeating: both, count: 5))
    }

    @Test func `an equal state that is stored or sent again is no report, however late it comes`() throws {
        let broker = try TestBroker()
        try broker.list()
        try broker.publish(topic, state(4.5, 80))
        broker.bench.clock.advance(bySeconds: 7200)
        try broker.publish(topic, state(4.5, 80), again: true)
        try broker.publish(topic, state(4.5, 80), retained: true)
        #expect(try broker.bench.measured().count == 1)
    }

    @Test func `the messages of one measurement repeat no values`() throws {
        let broker = try TestBroker()
        try broker.list()
        let start = broker.bench.now
        for (second, celsius, humidity) in [(0.0, 4.5, 80.0), (60, 5, 80), (60.25, 5, 81), (120, 5, 81)] {
            broker.bench.clock.advance(bySeconds: second - broker.bench.now.seconds(since: start))
            try broker.publish(topic, state(celsius, humidity, seen: broker.bench.now))
        }
        #expect(
            try broker.readings() == [
                [Reading(.temperature, 4.5), Reading(.humidity, 80)],
                [Reading(.temperature, 5), Reading(.humidity, 80)],
                [Reading(.humidity, 81)], [Reading(.temperature, 5), Reading(.humidity, 81)],
            ])
    }

    @Test func `after a restart the values of all quantities are known, also if the newest report has one`() throws {
        let broker = try TestBroker()
        try broker.list()
        try broker.publish(topic, state(4.5, 80))
        broker.bench.clock.advance(bySeconds: 30)
        try broker.publish(topic, state(4.5, 81))
        try broker.restart()
        try broker.list()
        broker.bench.clock.advance(bySeconds: 30)
        try broker.publish(topic, state(4.5, 82))
        #expect(
            try broker.readings() == [
                [Reading(.temperature, 4.5), Reading(.humidity, 80)], [Reading(.humidity, 81)],
                [Reading(.humidity, 82)],
            ])
        let tables = try broker.bench.rebuilt()
        #expect(tables.anew == tables.live)
    }

    @Test func `a late report does not replace the value of a newer one`() throws {
        let broker = try TestBroker()
        try broker.list()
        let now = broker.bench.now
        try broker.publish(topic, state(5, 80, seen: now))
        try broker.publish(topic, state(4.5, 80, seen: now.advanced(bySeconds: -600)))
        try broker.restart()
        try broker.list()
        try broker.publish(topic, state(5, 81, seen: now))
        #expect(try broker.readings().dropFirst() == [[Reading(.temperature, 4.5)], [Reading(.humidity, 81)]])
    }
}
