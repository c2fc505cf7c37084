import EventSourcing
import Events
import Host
import TestKit
import Testing
import Vocabulary
import Wire

@testable import TraceLedger

@Suite("Reports received by two slots")
struct TwoSlotsTests {
    private func report(_ celsius: Double, _ number: UInt64, rule: RepeatRule = .sequence) -> Measured {
        Measured(
            device: Ledger.device, format: "test", readings: [Reading(.temperature, celsius)], source: "test",
            counter: number, repeats: Int(rule.rawValue), payload: Hex.encode([UInt8(number)]))
    }

    private func hours(_ ledger: Ledger) -> [HourRow] {
        ledger.core.tables.scan(HourRow.self, prefix: "", limit: 100)
    }

    @Test func `a report of two slots counts once, in any order and with any difference of their clocks`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let id = UUID.named("report", in: .furrow)
        try ledger.hear(report(20, 1), id: id)
        try ledger.hear(report(20, 1), id: id, slot: 1)
        try ledger.hear(report(26, 2), slot: 1)
        try ledger.hear(report(26, 2), at: ledger.now.advanced(bySeconds: 0.4))
        let hour = try #require(hours(ledger).first)
        #expect(hour.count == 2 && hour.sum == 46 && hour.latest == 26)
        // Both journals' entries are mirrored by the hub; the projection counts one.
        #expect(hours(ledger).count == 1)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `a report is distinguished from the next one with the same value, and from a late one`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try ledger.hear(report(20, 7, rule: .rising))
        // Another number, an earlier number, and the same transaction number a while later: each is a report.
        try ledger.hear(report(20, 8, rule: .rising), slot: 1)
        try ledger.hear(report(20, 6, rule: .rising), slot: 1)
        try ledger.hear(report(20, 9, rule: .zigbee))
        try ledger.hear(report(20, 9, rule: .zigbee), at: ledger.now.advanced(bySeconds: 9), slot: 1)
        #expect(hours(ledger).reduce(0) { $0 + $1.count } == 4)
        try ledger.hear(report(20, 9, rule: .zigbee), at: ledger.now.advanced(bySeconds: 11), slot: 1)
        #expect(hours(ledger).reduce(0) { $0 + $1.count } == 5)
    }

    @Test func `a report counts once across the turn of the hour, however late the other slot delivers it`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let turn = ledger.now.hour
        try ledger.hear(report(20, 1), at: turn.advanced(bySeconds: -1))
        try ledger.hear(report(20, 1), at: turn.advanced(bySeconds: 1), slot: 1)
        try ledger.hear(report(20, 2, rule: .payload), at: turn.advanced(bySeconds: 1))
        try ledger.hear(report(20, 2, rule: .payload), at: turn.advanced(bySeconds: -1), slot: 1)
        let first = ledger.now
        try ledger.hear(report(26, 3))
        // Other reports of other hours arrive, and two days pass.
        for number in 1...47 {
            try ledger.passHour()
            try ledger.hear(report(26, 3 + UInt64(number)))
        }
        try ledger.hear(report(26, 3), at: first, slot: 1)
        #expect(hours(ledger).reduce(0) { $0 + $1.count } == 50)
        // Reports are recognised for eight days.
        #expect(ledger.core.tables.scan(ReportDedupRow.self).count == 49)
        for _ in 0..<147 { try ledger.passHour() }
        #expect(ledger.core.tables.scan(ReportDedupRow.self).count == 45)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    /// Sixteen nodes every ten minutes for a day: a quarter without a counter, a quarter with an 8-bit one, all with
    /// constant values.
    ///
    /// Both slots receive every report. The second one delivers later and in reverse, with a clock that differs by four
    /// seconds.
    @Test func `a report counts once in hourly means, with a long counter, a short one or none`() throws {
        let ledger = try Ledger.farm()
        let devices = (0..<16).map { DeviceID("ble:0000000000\(10 + $0)") }
        for (node, device) in devices.enumerated() { try ledger.bind("store/s1", device: device, point: "n\(node)") }
        let begin = ledger.now.hour
        ledger.clock.advance(bySeconds: 86_400)
        func event(_ node: Int, _ number: Int, _ source: String) -> Measured {
            let rule: RepeatRule = [.payload, .packetID, .sequence, .rising][node % 4]
            let counter = [nil, number % 256, number, number][node % 4].map { UInt64($0) }
            return Measured(
                device: devices[node], format: "test", readings: [Reading(.temperature, 20)], source: source,
                counter: counter, repeats: Int(rule.rawValue), payload: "01")
        }
        for receiver in 0..<2 {
            let numbers = receiver == 1 ? Array((0..<144).reversed()) : Array(0..<144)
            for number in numbers {
                for node in 0..<16 {
                    let seconds = Double(number) * 600 + Double(node) + [2.0, -2][receiver]
                    try ledger.hear(
                        event(node, number, "gateway/g\(receiver)"), at: begin.advanced(bySeconds: seconds),
                        slot: receiver)
                }
            }
        }
        let counted = hours(ledger).reduce(0) { $0 + $1.count }
        print("\(counted) of \(16 * 144) reports in the hourly means")
        #expect(counted == 16 * 144)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }
}
