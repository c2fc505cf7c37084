import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Retained old reports")
struct KeptReportsTests {
    private let ledger: Ledger
    /// The start of an hour.
    private let start: Instant

    init() throws {
        ledger = try Ledger.farm()
        try ledger.bind("plot/p1", device: DeviceID("ble:1"), point: "m1")
        try ledger.bind("store/s1", device: DeviceID("ble:2"), point: "m2")
        ledger.clock.set(to: ledger.now.hour.advanced(bySeconds: 3600))
        start = ledger.now
    }

    /// Returns the retained intervals of a period, in hours since the start; nil for all.
    private func kept(_ from: Double, _ to: Double) throws -> [String]? {
        let (from, to) = (start.advanced(bySeconds: from * 3600), start.advanced(bySeconds: to * 3600))
        let answer = try ledger.done("kept-reports", #"{"from":"\#(from)","to":"\#(to)"}"#)
        guard try answer.find("all", as: Bool.self) != true else { return nil }
        return try answer.items("kept").map { item in
            let span = try RetainedInterval(json: item)
            let devices = try item.get("devices", as: [String].self).joined(separator: ",")
            func hours(_ time: Instant) -> Int { Int(time.seconds(since: start) / 3600) }
            return "\(span.place) \(hours(span.from))–\(hours(span.to)) \(devices)"
        }
    }

    private func sow(_ hour: Double) throws {
        ledger.clock.set(to: start.advanced(bySeconds: hour * 3600))
        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#)
    }

    private func harvest(_ lot: String, _ hour: Double, plot: String = "p1") throws {
        ledger.clock.set(to: start.advanced(bySeconds: hour * 3600))
        try ledger.done("harvest", #"{"lot":"\#(lot)","plot":"\#(plot)","product":"X","grams":1}"#)
    }

    private func at(_ hour: Double, _ verb: String, _ body: String) throws {
        ledger.clock.set(to: start.advanced(bySeconds: hour * 3600))
        try ledger.done(verb, body)
    }

    @Test func `reports of a plot are retained from its sowing to the harvest, with one hour on each side`() throws {
        try sow(10.5)
        try harvest("L1", 20.5)
        // Nothing was sown since, and the plot may be harvested again.
        try sow(30)
        try harvest("L2", 31)
        ledger.pass(days: 1000)
        #expect(try kept(0, 100) == ["plot/p1 9–22 ble:1", "plot/p1 29–33 ble:1"])
        // The requested period is extended by two hours on each side, because those decide what counts in it.
        #expect(try kept(15.5, 16.5) == ["plot/p1 13–19 ble:1"])
        #expect(try kept(23.9, 23.9) == ["plot/p1 21–22 ble:1"])
        #expect(try kept(24, 25) == [])
    }

    @Test func `reports of a store are retained while any lot is there, also for a lot still there`() throws {
        for (lot, hour, leaves) in [
            ("L1", 10.0, false), ("L2", 12, false), ("L1", 14, true), ("L2", 17, true), ("L3", 25, false),
            ("L3", 26, true),
        ] {
            guard !leaves else {
                try at(hour, "hand-over-lot", #"{"lot":"\#(lot)","to":"Shop"}"#)
                continue
            }
            try harvest(lot, hour, plot: "p2")
            try at(hour, "store-lot", #"{"lot":"\#(lot)","store":"s1"}"#)
        }
        #expect(try kept(0, 100) == ["store/s1 9–19 ble:2", "store/s1 24–28 ble:2"])
        try harvest("L4", 40, plot: "p2")
        try at(40, "store-lot", #"{"lot":"L4","store":"s1"}"#)
        try at(41, "store-lot", #"{"lot":"L4","store":"s2"}"#)
        try harvest("L5", 50, plot: "p2")
        try at(50, "store-lot", #"{"lot":"L5","store":"s1"}"#)
        ledger.pass(days: 2000)
        #expect(try kept(24, 100) == ["store/s1 24–28 ble:2", "store/s1 39–43 ble:2", "store/s1 49–103 ble:2"])
        // A split lot stays where its parent was.
        try ledger.done("split-lot", #"{"lot":"L5","into":"L6","grams":1}"#)
        try ledger.done(
            "hand-over-lot", #"{"lot":"L5","to":"Shop","happened":"\#(start.advanced(bySeconds: 60 * 3600))"}"#)
        #expect(try kept(100, 110) == ["store/s1 98–113 ble:2"])
    }

    @Test func `reports of a sown plot are retained, and after a harvest as far back as a passport reaches`() throws {
        try sow(10)
        try sow(20)
        ledger.pass(days: 2000)
        #expect(try kept(0, 1000) == ["plot/p1 19–1003 ble:1"])
        try harvest("L1", 200)
        ledger.pass(days: 700)
        #expect(try kept(0, 1000) == ["plot/p1 19–1003 ble:1"])
        ledger.pass(days: 100)
        #expect(try kept(0, 1000) == ["plot/p1 19–202 ble:1"])
    }

    @Test func `retention keeps the reports of every device that was ever at the place of a story`() throws {
        try sow(1)
        try ledger.bind("plot/p2", device: DeviceID("ble:1"), point: "m1")
        try ledger.bind("plot/p1", device: DeviceID("ble:3"), point: "m3")
        try harvest("L1", 3)
        try at(3, "store-lot", #"{"lot":"L1","store":"s2"}"#)
        #expect(try kept(0, 2) == ["plot/p1 0–5 ble:1,ble:3"])
    }

    @Test func `all reports are retained if there are too many intervals for an event`() throws {
        for number in 0...LedgerLimits.keptSpans {
            let hour = Double(number * 5)
            try harvest("L\(number)", hour, plot: "p2")
            try at(hour, "store-lot", #"{"lot":"L\#(number)","store":"s1"}"#)
            try at(hour, "hand-over-lot", #"{"lot":"L\#(number)","to":"Shop"}"#)
        }
        #expect(try kept(0, Double(LedgerLimits.keptSpans * 5)) == nil)
        #expect(try kept(0, Double(LedgerLimits.keptSpans * 5 - 6))?.count == LedgerLimits.keptSpans)
    }

    @Test func `a request for a period that ends before it begins is refused`() throws {
        #expect(
            try ledger.refusal("kept-reports", #"{"from":"\#(start)","to":"\#(start.advanced(bySeconds: -1))"}"#)
                == "400 malformed")
    }

    @Test func `the largest list of retained intervals fits an event`() throws {
        let place = Place.plot(PlotID(String(repeating: "p", count: 40)))
        let event = JournalPruned(
            first: 1, last: 4096, positions: [1], from: start, to: start,
            kept: Array(
                repeating: RetainedInterval(place: place, from: start, to: start), count: LedgerLimits.keptSpans),
            note: String(repeating: "n", count: 10_000))
        var json = JSONWriter()
        json.object { event.write(fields: &$0) }
        #expect(json.bytes.count < 60_000)
    }
}
