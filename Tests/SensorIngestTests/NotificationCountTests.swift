import EventSourcing
import EventStore
import Events
import Host
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("How often people are notified, on one replica and on three")
struct NotificationCountTests {
    /// Replicas of sensor-ingest, with three sensors in two stores that one gateway receives.
    private final class Replicas {
        static let addresses = ["cbb8334c884f", "cbb8334c8850", "cbb8334c8851"]
        private static let stores = ["cold", "cold", "barn"]

        let primary: Bench
        private let others: [Bench]
        private var delivered: [Position]
        private var number: UInt8 = 0
        /// Whether the hub delivers each report by itself, and not all at once when it is caught up with.
        private let isPrompt: Bool

        init(_ count: Int, isPrompt: Bool = true) throws {
            self.isPrompt = isPrompt
            primary = try Bench()
            others = try (1..<max(count, 1)).map { try Bench(slot: $0) }
            delivered = others.map { _ in 0 }
            var settings = [("set-on-call", #"{"steps":[{"afterMinutes":0,"people":["anna"]}]}"#)]
            for (number, address) in Self.addresses.enumerated() {
                let place = #""place":"store/\#(Self.stores[number])""#
                settings.append(
                    (
                        "bind-point",
                        #"{"point":"p\#(number)","title":"Shelf \#(number)",\#(place),"device":"ble:\#(address)"}"#
                    ))
            }
            for store in Set(Self.stores) {
                settings.append(
                    (
                        "set-rule",
                        #"{"rule":"warm-\#(store)","place":"store/\#(store)","quantity":"temperature","above":30}"#
                    ))
            }
            for (verb, body) in settings { #expect(try primary.ask(verb, body).status == 200, "\(body)") }
        }

        /// Lets a sensor report to the replica that its reports are sent to, and delivers its journal to the primary.
        ///
        /// - Parameter isTwice: whether another gateway's copy goes to another replica.
        func report(_ celsius: Double, by sensor: Int = 0, secondsAgo: Double = 0, isTwice: Bool = false) throws {
            number = number &+ 1
            let time = primary.now.advanced(bySeconds: -secondsAgo)
            let batch = Bench.ruuvi(celsius, number, from: Self.addresses[sensor], at: time)
            let all = [primary] + others
            for turn in 0...(isTwice ? 1 : 0) {
                let body = batch.dropLast() + #","source":"gateway/\#(turn == 0 ? "barn" : "yard")"}"#
                let answer = try all[(sensor + turn) % all.count].ask("ingest-adverts", String(body))
                #expect(answer.status == 201 || answer.status == 200)
            }
            if isPrompt { try deliver() }
        }

        func deliver() throws {
            for (index, other) in others.enumerated() {
                let head = other.core.log.head
                guard head.position > delivered[index] else { continue }
                let entries = try other.core.log.reader().entries(from: delivered[index] + 1, through: head.position)
                try primary.core.consume(Page(head: head, entries: entries), at: primary.now)
                _ = try primary.core.commit()
                delivered[index] = head.position
            }
        }

        /// Advances all clocks, with a tick every half minute.
        func pass(_ seconds: Double) throws {
            for _ in 0..<Int(seconds / 30) {
                for bench in [primary] + others {
                    bench.clock.advance(bySeconds: 29.9)
                    try bench.wait(seconds: 0.1)
                }
            }
        }

        /// Returns how often people were notified, and how many alarms were raised, not counting those of silence.
        func counts() throws -> Counts {
            var counts = Counts()
            for (number, bench) in ([primary] + others).enumerated() {
                for recorded in try bench.journal() {
                    switch recorded.fact {
                    case .alarmNotificationRequested:
                        counts.notified += 1
                        #expect(number == 0, "only the primary notifies")
                    case .alarmRaised(let event) where event.quantity.isReported: counts.raised += 1
                    case .measured: counts.reports += 1
                    default: break
                    }
                }
            }
            return counts
        }
    }

    private struct Counts: Equatable {
        var notified = 0
        var raised = 0
        var reports = 0
    }

    /// A trace of values, with the counts that it must have.
    enum Trace: String, CaseIterable {
        case swingAtTheLimit, wideSwing, spike, spikeByTwoOfThree, backlog, deadSensor, deadGateway, twoGateways

        /// Notifications, raised alarms, and the least number of recorded reports.
        var expected: (notified: Int, raised: Int, reports: Int) {
            switch self {
            case .swingAtTheLimit: (1, 1, 120)
            case .wideSwing: (1, 60, 120)
            case .spike: (1, 1, 121)
            case .spikeByTwoOfThree: (0, 0, 121)
            case .backlog: (0, 101, 2_021)
            case .deadSensor: (1, 0, 72)
            case .deadGateway: (1, 0, 30)
            case .twoGateways: (1, 10, 20)
            }
        }
    }

    private func play(_ trace: Trace, on replicas: Replicas, sensor: Int = 0) throws {
        switch trace {
        case .swingAtTheLimit, .wideSwing:
            let (low, high) = trace == .wideSwing ? (28.0, 31.0) : (29.9, 30.1)
            for turn in 0..<120 {
                try replicas.report(turn.isMultiple(of: 2) ? low : high, by: sensor)
                try replicas.pass(60)
            }
        case .spike, .spikeByTwoOfThree:
            let reports = trace == .spikeByTwoOfThree ? #","reports":{"beyond":2,"of":3}"# : ""
            let rule = #"{"rule":"warm-cold","place":"store/cold","quantity":"temperature","above":30\#(reports)}"#
            #expect(try replicas.primary.ask("set-rule", rule).status == 200)
            for turn in 0..<121 {
                try replicas.report(turn == 60 ? 85 : 20, by: sensor)
                try replicas.pass(60)
            }
        case .backlog:
            // A report every five minutes of seven days, as a gateway stored them, then current ones.
            for turn in 0..<2016 {
                try replicas.report(
                    turn % 20 == 10 ? 35 : 20, by: sensor, secondsAgo: 604_800 - Double(turn) * 300 + 3600)
            }
            for _ in 0..<5 {
                try replicas.pass(60)
                try replicas.report(20, by: sensor)
            }
        case .deadSensor:
            for turn in 0..<30 {
                if turn < 12 { try replicas.report(20, by: 0) }
                try replicas.report(20, by: 1)
                try replicas.report(20, by: 2)
                try replicas.pass(60)
            }
        case .deadGateway:
            for turn in 0..<10 {
                for sensor in 0..<3 { try replicas.report(20 + Double(turn % 2), by: sensor) }
                try replicas.pass(60)
            }
            try replicas.pass(3600)
        case .twoGateways:
            for turn in 0..<20 {
                try replicas.report(turn.isMultiple(of: 2) ? 20 : 35, isTwice: true)
                try replicas.pass(60)
            }
        }
    }

    @Test(arguments: Trace.allCases, [1, 3])
    func `a trace notifies people as often as it must`(trace: Trace, count: Int) throws {
        let replicas = try Replicas(count)
        try play(trace, on: replicas)
        let counts = try replicas.counts()
        print("\(trace) on \(count): \(counts.reports) reports, \(counts.raised) alarms, \(counts.notified) notified")
        #expect(counts.notified == trace.expected.notified)
        #expect(counts.raised == trace.expected.raised && counts.reports >= trace.expected.reports)
    }

    @Test(arguments: [Trace.swingAtTheLimit, .wideSwing, .spike, .spikeByTwoOfThree, .backlog])
    func `reports that the hub delivers in one page are all evaluated`(trace: Trace) throws {
        let replicas = try Replicas(3, isPrompt: false)
        // The sensor's replica is not the primary.
        try play(trace, on: replicas, sensor: 1)
        try replicas.deliver()
        #expect(try replicas.counts().raised == trace.expected.raised)
    }
}
