import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

import class Foundation.ProcessInfo

@testable import SensorIngest

/// `FURROW_NIGHTLY=1` runs all: 256 nodes, 7 days, 258,048 reports.
private let isNightly = ProcessInfo.processInfo.environment["FURROW_NIGHTLY"] == "1"

@Suite("Reports received by two gateways")
struct TwoGatewaysTests {
    private let outage = isNightly ? Outage(nodes: 256, reports: 1008) : Outage(nodes: 32, reports: 300)

    /// The order in which the batches of the two gateways arrive.
    enum Order: CaseIterable { case liveThenBacklog, backlogThenLive, shuffledBatches, shuffledReports }

    private func batches(_ order: Order, _ bench: Bench, seed: UInt64) -> [[Outage.Posted]] {
        var random = SplitMix64(seed: seed)
        let begin = bench.now.advanced(bySeconds: -7.5 * 86_400).hour
        let first = outage.heard(by: 0, from: begin, &random)
        let second = outage.heard(by: 1, from: begin, &random)
        switch order {
        // A gateway that posts live has small batches.
        case .liveThenBacklog: return Outage.batches(first, of: outage.nodes) + Outage.batches(second).reversed()
        case .backlogThenLive: return Outage.batches(second) + Outage.batches(first, of: outage.nodes)
        case .shuffledBatches:
            return (Outage.batches(first) + Outage.batches(second)).shuffled(using: &random)
        case .shuffledReports:
            let batches =
                Outage.batches(first.shuffled(using: &random)) + Outage.batches(second.shuffled(using: &random))
            return batches.shuffled(using: &random)
        }
    }

    @Test(arguments: Order.allCases)
    func `reports of two gateways are recorded once, in any order, through crashes`(_ order: Order) throws {
        let bench = try Bench()
        var (written, known) = (0, 0)
        let all = batches(order, bench, seed: 7)
        for (index, batch) in all.enumerated() {
            let answer = try bench.ask("ingest-adverts", Outage.body(batch), key: "batch-\(index)")
            written += try answer.json.get("measurements", as: Int.self)
            known += try answer.json.get("known", as: Int.self)
            guard index % max(1, all.count / 4) == 1 else { continue }
            // The process is killed after the commit and before the gateway has the response. The gateway sends the
            // batch again, once with the same idempotency key and once with another.
            try bench.restart()
            let repeated = try bench.ask("ingest-adverts", Outage.body(batch), key: "batch-\(index)")
            #expect(try repeated.json.get("known", as: Int.self) == answer.json.get("known", as: Int.self))
            let again = try bench.ask("ingest-adverts", Outage.body(batch))
            #expect(try again.json.get("measurements", as: Int.self) == 0)
            #expect(try again.json.get("known", as: Int.self) == batch.count)
        }
        let expected = outage.nodes * outage.reports
        let counts = try check(bench)
        print("\(order): \(counts.reports) reports of \(expected), \(counts.receptions) second receptions")
        #expect(written == expected && known == expected)
        #expect(counts.receptions == expected)
        let rows = bench.core.tables.scan(DeviceRow.self, prefix: "", limit: 1000)
        #expect(rows.count == outage.nodes && rows.allSatisfy { $0.reports == outage.reports && $0.copies == 0 })
        guard !isNightly || order == .shuffledBatches else { return }
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    /// Checks that every node has each report once, with an id of its own, and received by both gateways.
    private func check(_ bench: Bench) throws -> (reports: Int, receptions: Int) {
        var perDevice: [DeviceID: Int] = [:]
        var ids: Set<UUID> = []
        var receptions = 0
        for told in try bench.journal() {
            switch told.fact {
            case .measured(let event):
                perDevice[event.device, default: 0] += 1
                ids.insert(told.envelope.id)
            case .reportHeard(let event):
                receptions += 1
                #expect(event.rssi == (event.source == "gateway/g0" ? -50 : -60))
                #expect(abs(told.envelope.time.seconds(since: event.report)) < 5)
            default: break
            }
        }
        let wrong = perDevice.filter { $0.value != outage.reports }
        #expect(perDevice.count == outage.nodes && wrong.isEmpty, "\(wrong)")
        let total = perDevice.values.reduce(0, +)
        #expect(ids.count == total)
        return (total, receptions)
    }

    @Test func `a mutant that compares arrival times within a window miscounts the reports`() throws {
        let bench = try Bench()
        var mutants: [DeviceID: MutantArrivalWindow] = [:]
        var written: [Int: Int] = [:]
        for posted in batches(.liveThenBacklog, bench, seed: 7).flatMap(\.self) {
            let bytes = try #require(Hex.decode(posted.hex))
            let address = try #require(UInt64(posted.address, radix: 16))
            let heard = AdvertisementDecoder().decode(Advertisement(address: address, rssi: -60, data: bytes))
            let report = try #require(heard.reports.first)
            if mutants[report.device, default: MutantArrivalWindow()].admits(report.repeatKey, at: posted.at) {
                written[posted.node % 4, default: 0] += 1
            }
        }
        let expected = outage.nodes * outage.reports / 4
        print("a window of arrival times writes \(written.sorted { $0.key < $1.key }) of \(expected) in each quarter")
        #expect((0..<4).allSatisfy { written[$0] != expected })
    }

    @Test func `reports of one tag every ten seconds are recorded and counted once each`() throws {
        let bench = try Bench()
        let begin = bench.now.advanced(bySeconds: -7 * 3600)
        var answers: [[Int]] = []
        for (gateway, ahead) in [(1, 0.0), (2, 0.4)] {
            for first in stride(from: 0, to: 1008, by: 500) {
                let adverts = (first..<min(first + 500, 1008)).map { number in
                    Outage.Posted(
                        node: 3, number: number, gateway: gateway,
                        at: begin.advanced(bySeconds: Double(number) * 10 + ahead), hex: Outage.hex(3, number))
                }
                let answer = try bench.ask("ingest-adverts", Outage.body(adverts)).json
                answers.append([try answer.get("measurements"), try answer.get("known")])
            }
        }
        #expect(answers == [[500, 0], [500, 0], [8, 0], [0, 500], [0, 500], [0, 8]])
        #expect(try bench.measured().count == 1008)
    }

    @Test func `reports without a counter are matched by the learnt offset between two gateways' clocks`() throws {
        let bench = try Bench()
        let begin = bench.now.advanced(bySeconds: -86_400).hour
        var apart = Outage(nodes: 8, reports: 60)
        // Too far apart for reports without a counter, as long as the offset is unknown.
        apart.offsets = [0, 240]
        var random = SplitMix64(seed: 3)
        let (first, second) = (apart.heard(by: 0, from: begin, &random), apart.heard(by: 1, from: begin, &random))
        for batch in Outage.batches(first) { _ = try bench.ask("ingest-adverts", Outage.body(batch)) }
        // Counters that are far from their start are recognised across four minutes.
        let learning = second.filter { $0.node % 4 > 1 && $0.number > 20 }
        for batch in Outage.batches(learning) { _ = try bench.ask("ingest-adverts", Outage.body(batch)) }
        let key = ReceiverRow.key(Receiver.name("gateway/g1"))
        let row = try #require(bench.core.tables.get(ReceiverRow.self, key))
        print("gateway/g1 is \(Double(row.offset) / 1_000_000) s ahead")
        #expect(abs(row.offset - 240_000_000) < 1_000_000)
        for batch in Outage.batches(second) { _ = try bench.ask("ingest-adverts", Outage.body(batch)) }
        #expect(try bench.measured().count == 8 * 60)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `reports of a restarted device are new reports with ids of their own`() throws {
        let bench = try Bench()
        let begin = bench.now.advanced(bySeconds: -86_400)
        func post(_ number: Int, _ turn: Int, _ gateway: Int) throws -> Int {
            let at = begin.advanced(bySeconds: Double(turn) * 600 + Double(gateway) * 3)
            let posted = Outage.Posted(node: 2, number: number, gateway: gateway, at: at, hex: Outage.hex(2, number))
            return try bench.ask("ingest-adverts", Outage.body([posted])).json.get("measurements")
        }
        // Ten reports, a new battery, and the same ten numbers with the same values; the other gateway received all.
        for turn in 0..<20 { #expect(try post(turn % 10, turn, 0) == 1) }
        for turn in 0..<20 { #expect(try post(turn % 10, turn, 1) == 0) }
        let ids = try bench.journal().filter { if case .measured = $0.fact { true } else { false } }.map(\.envelope.id)
        #expect(ids.count == 20 && Set(ids).count == 20)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `report windows expire after eight days of the trusted clock, and never by a clock that is ahead`()
        throws
    {
        let bench = try Bench()
        let began = bench.now
        let right = VirtualClock()
        func pass(_ seconds: Double) throws {
            right.advance(bySeconds: seconds)
            bench.clock.advance(bySeconds: seconds)
            let uptime = Int64(right.now.seconds(since: began) * 1_000_000)
            try bench.take(.ticked(wall: bench.now, boot: BootTime(id: "b", microseconds: uptime)))
        }
        func post(_ number: Int) throws {
            let body = Bench.ruuvi(20, UInt8(number), from: "cbb8334c884f", at: bench.now)
            _ = try bench.ask("ingest-adverts", body)
        }
        func windows() -> Int { bench.core.tables.scan(ReportWindowRow.self, prefix: "", limit: 1000).count }
        try pass(0)
        for number in 0..<24 {
            try post(number)
            try pass(3600)
        }
        bench.clock.advance(bySeconds: 1100 * 86_400)
        try pass(0)
        try post(24)
        try pass(600)
        bench.clock.set(to: right.now)
        try pass(0)
        #expect(windows() == 25)
        // The trusted clock is frozen for a week after a step.
        for _ in 0..<(24 * 7 + 24 * 7) { try pass(3600) }
        #expect(windows() == 25)
        for _ in 0..<12 { try pass(3600) }
        #expect((2..<25).contains(windows()))
        for _ in 0..<36 { try pass(3600) }
        // The window recorded by the clock that was ahead stays until that time.
        #expect(windows() == 1)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }
}

/// An older rule as a mutant: the last 64 packets of a device within an hour of the newest. A number is a repetition
/// for as long as its protocol's window.
private struct MutantArrivalWindow {
    private var entries: [(key: RepeatKey, time: Instant)] = []

    mutating func admits(_ key: RepeatKey, at time: Instant) -> Bool {
        let seconds = key.counter == nil ? 2.0 : key.rule == .packetID ? 4.0 : 3600.0
        if entries.contains(where: { $0.key == key && abs($0.time.seconds(since: time)) <= seconds }) { return false }
        entries.append((key, time))
        let newest = entries.map(\.time).max() ?? time
        entries.removeAll {
            abs($0.time.seconds(since: newest)) > seconds && abs($0.time.seconds(since: time)) > seconds
        }
        if entries.count > 64 { entries.removeFirst() }
        return true
    }
}
