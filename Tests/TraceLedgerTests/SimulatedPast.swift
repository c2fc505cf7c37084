import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

/// Some days of a simulated farm, and years later the prune of its old reports as sensor-ingest does it.
///
/// Six devices are moved now and then. Two slots receive them, one of which is often disconnected. Lots grow, are
/// stored and leave.
struct SimulatedPast {
    let ledger: Ledger
    private var random: SplitMix64
    /// Reports that a disconnected slot has not delivered yet.
    private var late: [(event: Measured, at: Instant)] = []
    private var counter: UInt64 = 0
    private(set) var lots: [String] = []
    /// The numbers of pruned and of retained old reports.
    private(set) var counts = (gone: 0, kept: 0)

    private static let places = ["plot/p1", "plot/p2", "plot/fallow", "store/s1", "store/s2", "store/empty"]
    private static let devices = (1...6).map { DeviceID("ble:00000000000\($0)") }

    init(seed: UInt64) throws {
        ledger = try Ledger.farm()
        random = SplitMix64(seed: seed)
        for (number, device) in Self.devices.enumerated() {
            try ledger.bind(Self.places[number], device: device, point: "m\(number)")
        }
        for _ in 0..<200 { try live() }
    }

    /// Prunes all old reports years later, segment by segment; some before late reports have arrived, and some after.
    mutating func prune(tellingLate: Bool = true) throws {
        ledger.pass(days: 1100)
        try ledger.passHour()
        for slot in [0, 1] { try prune(slot, run: 80) }
        let rest = tellingLate ? late : []
        late = []
        for (index, report) in rest.enumerated() where index % 2 == 0 { try tell(report) }
        for slot in [1, 0] { try prune(slot, run: 1000) }
        for (index, report) in rest.enumerated() where index % 2 == 1 { try tell(report) }
    }

    private mutating func live() throws {
        switch random.next() % 20 {
        case 0:
            guard random.next() % 4 == 0 else { return }
            let number = Int(random.next() % 6)
            let place = Self.places[Int(random.next() % 6)]
            try ledger.bind(place, device: Self.devices[number], point: "m\(number)")
        case 1:
            guard random.next() % 4 == 0 else { return }
            try ledger.done("record-activity", #"{"plot":"\#(plot)","kind":"sowing"}"#)
        case 2:
            lots.append("L\(lots.count)")
            try ledger.done("harvest", #"{"lot":"\#(lots.last ?? "")","plot":"\#(plot)","product":"X","grams":900}"#)
        case 3: try with("store-lot", #""store":"s\#(1 + random.next() % 2)""#)
        case 4: for lot in lots { try ledger.ask("hand-over-lot", #"{"lot":"\#(lot)","to":"Shop"}"#) }
        case 5:
            guard let parent = lots.randomElement(using: &random) else { return }
            let asked = try ledger.ask("split-lot", #"{"lot":"\#(parent)","into":"L\#(lots.count)","grams":1}"#)
            if asked.status == 201 { lots.append("L\(lots.count)") }
        case 6, 7: for _ in 0..<(1 + random.next() % 4) { try ledger.passHour() }
        default: try measure()
        }
    }

    private var plot: String { mutating get { "p\(1 + random.next() % 2)" } }

    private mutating func with(_ verb: String, _ rest: String) throws {
        guard let lot = lots.randomElement(using: &random) else { return }
        // A lot that was handed over is refused.
        try ledger.ask(verb, #"{"lot":"\#(lot)",\#(rest)}"#)
    }

    /// Adds a report that both slots may receive, by clocks that differ.
    private mutating func measure() throws {
        ledger.clock.advance(bySeconds: Double(random.next() % 1200))
        counter += 1
        let event = Measured(
            device: Self.devices[Int(random.next() % 6)], format: "test",
            readings: [Reading(.temperature, Double(random.next() % 400) / 10)], source: "test", counter: counter,
            repeats: Int(RepeatRule.sequence.rawValue), payload: "01")
        try ledger.hear(event)
        let apart = Double(random.next() % 4800) - 2400
        switch random.next() % 3 {
        case 0: try tell((event, ledger.now.advanced(bySeconds: apart)))
        case 1: late.append((event, ledger.now.advanced(bySeconds: apart)))
        default: break
        }
        guard random.next() % 12 == 0 else { return }
        let told = late
        late = []
        for report in told { try tell(report) }
    }

    private func tell(_ report: (event: Measured, at: Instant)) throws {
        try ledger.hear(report.event, at: report.at, slot: 1)
    }

    /// Prunes the reports that no story needs, in each segment of a slot's journal.
    private mutating func prune(_ slot: Int, run: Position) throws {
        let head = ledger.sensors[slot].head.position
        var first: Position = 1
        while first <= head {
            let last = min(first + run - 1, head)
            try prune(slot, first, last)
            first = last + 1
        }
    }

    private mutating func prune(_ slot: Int, _ first: Position, _ last: Position) throws {
        let told = try ledger.sensors[slot].reader().entries(from: first, through: last)
            .filter { !ledger.prunedPositions[slot].contains($0.position) }
            .map { try RecordedEvent(reading: $0.bytes) }
        let old = told.compactMap { told -> (position: Position, device: DeviceID, at: Instant)? in
            guard case .sensors(.measured(let event)) = told.fact else { return nil }
            return (told.envelope.position, event.device, told.envelope.time)
        }
        guard let from = old.map(\.at).min(), let to = old.map(\.at).max() else { return }
        let answer = try ledger.done("kept-reports", #"{"from":"\#(from)","to":"\#(to)"}"#)
        let kept = try answer.items("kept").map {
            (span: try RetainedInterval(json: $0), devices: try $0.get("devices", as: [String].self))
        }
        let gone = old.filter { report in
            !kept.contains { kept in
                kept.devices.contains(report.device.rawValue) && kept.span.from <= report.at && report.at < kept.span.to
            }
        }
        counts.gone += gone.count
        counts.kept += old.count - gone.count
        let event = JournalPruned(
            first: first, last: last, positions: gone.map(\.position), from: gone.map(\.at).min(),
            to: gone.map(\.at).max(), kept: kept.map(\.span))
        try ledger.hear(event, in: "journal", slot: slot)
        ledger.prunedPositions[slot].formUnion(gone.map(\.position))
    }
}
