import EventSourcing
import Events
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("The decider of lots")
struct LotTests {
    private let lot = LotID("L1")
    private let harvest: Harvested

    init() throws {
        harvest = Harvested(
            lot: LotID("L1"), gtin: try #require(GTIN.restricted(1)), product: "Carrots", plot: PlotID("p1"),
            grams: 1000,
            from: Instant(microseconds: 0))
    }

    private var harvested: [TraceEvent] { [.harvested(harvest)] }

    private func split(_ grams: Int) -> TraceEvent { .lotSplit(LotSplit(lot: lot, into: LotID("L2"), grams: grams)) }

    private func packed(_ grams: Int, _ boxes: Int) -> TraceEvent {
        .packed(Packed(lot: lot, gramsEach: grams, serials: serials(boxes)))
    }

    private func serials(_ count: Int) -> [String] { (0..<count).map { "SERIAL\($0)" } }

    private let handedOver = TraceEvent.handedOver(HandedOver(lot: LotID("L1"), to: "Market"))

    @Test func `a lot is harvested once`() throws {
        try given(Lot.self).when(.harvest(harvest)).then(.harvested(harvest))
        try given(Lot.self, harvested).when(.harvest(harvest)).refuses(.known)
    }

    @Test func `a harvest of nothing is refused`() throws {
        var nothing = harvest
        nothing.grams = 0
        try given(Lot.self).when(.harvest(nothing)).refuses(.nothing)
        nothing.grams = -5
        try given(Lot.self).when(.harvest(nothing)).refuses(.nothing)
        try given(Lot.self, harvested).when(.split(into: LotID("L2"), grams: 0)).refuses(.nothing)
        try given(Lot.self, harvested).when(.pack(gramsEach: 0, serials: serials(1))).refuses(.nothing)
        try given(Lot.self, harvested).when(.pack(gramsEach: 10, serials: [])).refuses(.nothing)
    }

    private func correct(_ grams: Int) -> Lot.Command { .correctHarvest(grams: grams, reason: "misread") }

    private func corrected(_ grams: Int) -> TraceEvent {
        .harvestCorrected(HarvestCorrected(lot: lot, grams: grams, reason: "misread"))
    }

    @Test func `a corrected weight counts from then on, and is no less than what is split off or packed`() throws {
        try given(Lot.self, harvested).when(correct(100)).then(corrected(100))
        try given(Lot.self, harvested + [split(700), packed(100, 2)]).when(correct(900)).then(corrected(900))
        try given(Lot.self, harvested + [split(700), packed(100, 2)]).when(correct(899)).refuses(.tooLittle(used: 900))
        // The corrected weight counts from then on.
        try given(Lot.self, harvested + [split(700), corrected(800)])
            .when(.split(into: LotID("L3"), grams: 101)).refuses(.tooMuch(left: 100))
        try given(Lot.self, harvested + [corrected(2000), split(700), corrected(1500)])
            .when(.split(into: LotID("L3"), grams: 801)).refuses(.tooMuch(left: 800))
        try given(Lot.self).when(correct(1)).refuses(.unknown)
        try given(Lot.self, harvested).when(correct(0)).refuses(.nothing)
        try given(Lot.self, harvested + [handedOver]).when(correct(1)).refuses(.handedOver)
    }

    @Test func `a lot is unknown before its harvest`() throws {
        try given(Lot.self).when(.split(into: LotID("L2"), grams: 1)).refuses(.unknown)
        try given(Lot.self).when(.pack(gramsEach: 1, serials: serials(1))).refuses(.unknown)
        try given(Lot.self).when(.store(StoreID("s1"))).refuses(.unknown)
        try given(Lot.self).when(.handOver(to: "Market", document: nil)).refuses(.unknown)
        try given(Lot.self).when(.printLabels(kid: "AB2C")).refuses(.unknown)
    }

    @Test func `a split of more than is left is refused`() throws {
        try given(Lot.self, harvested).when(.split(into: LotID("L2"), grams: 1000)).then(split(1000))
        try given(Lot.self, harvested).when(.split(into: LotID("L2"), grams: 1001)).refuses(.tooMuch(left: 1000))
        try given(Lot.self, harvested + [split(700), packed(100, 2)])
            .when(.split(into: LotID("L3"), grams: 101)).refuses(.tooMuch(left: 100))
    }

    @Test func `packing more than is left is refused`() throws {
        try given(Lot.self, harvested).when(.pack(gramsEach: 500, serials: serials(2))).then(packed(500, 2))
        try given(Lot.self, harvested).when(.pack(gramsEach: 501, serials: serials(2))).refuses(.tooMuch(left: 1000))
        try given(Lot.self, harvested + [packed(500, 2)])
            .when(.pack(gramsEach: 1, serials: serials(1))).refuses(.tooMuch(left: 0))
        try given(Lot.self, harvested).when(.pack(gramsEach: .max, serials: serials(3))).refuses(.tooMuch(left: 1000))
    }

    @Test func `a lot has no more boxes than its labels fit one response`() throws {
        var much = harvest
        much.grams = 1_000_000
        let most = LedgerLimits.boxes
        try given(Lot.self, [.harvested(much), packed(1, most - 1)])
            .when(.pack(gramsEach: 1, serials: serials(2))).refuses(.tooManyBoxes(most: most))
        try given(Lot.self, [.harvested(much), packed(1, most - 1)])
            .when(.pack(gramsEach: 1, serials: serials(1))).then(packed(1, 1))
    }

    @Test func `a lot that has left the farm cannot be changed`() throws {
        let gone = harvested + [packed(100, 1), handedOver]
        try given(Lot.self, gone).when(.split(into: LotID("L2"), grams: 1)).refuses(.handedOver)
        try given(Lot.self, gone).when(.pack(gramsEach: 1, serials: serials(1))).refuses(.handedOver)
        try given(Lot.self, gone).when(.store(StoreID("s1"))).refuses(.handedOver)
        try given(Lot.self, gone).when(.handOver(to: "Market", document: nil)).refuses(.handedOver)
        try given(Lot.self, gone).when(.printLabels(kid: "AB2C")).refuses(.handedOver)
    }

    @Test func `labels are printed for a lot's boxes, and refused without boxes`() throws {
        try given(Lot.self, harvested).when(.printLabels(kid: "AB2C")).refuses(.notPacked)
        try given(Lot.self, harvested + [packed(100, 3), packed(100, 2)]).when(.printLabels(kid: "AB2C"))
            .then(.labelsPrinted(LabelsPrinted(lot: lot, kid: "AB2C", count: 5)))
    }

    @Test func `the state of a lot has what is left, its place and its recipient`() {
        let state = Lot.fold(harvested + [split(300), packed(100, 2), .stored(Stored(lot: lot, store: StoreID("s1")))])
        #expect(state.left == 500)
        #expect(state.grams == 1000)
        #expect(state.boxes == 2)
        #expect(state.place == .store(StoreID("s1")))
        let gone = Lot.fold(harvested + [.stored(Stored(lot: lot, store: StoreID("s1"))), handedOver])
        #expect(gone.place == nil)
        #expect(gone.handedTo == "Market")
    }

    @Test func `a lot never has less than nothing left, after any order of commands`() {
        var random = SplitMix64(seed: 1000)
        var decided = 0
        for _ in 0..<500 {
            var facts = harvested
            for _ in 0..<20 {
                let grams = Int.random(in: 1...600, using: &random)
                let command: Lot.Command =
                    Bool.random(using: &random)
                    ? .split(into: LotID("L2"), grams: grams)
                    : .pack(gramsEach: grams, serials: serials(Int.random(in: 1...4, using: &random)))
                if case .success(let more) = given(Lot.self, facts).when(command).outcome {
                    facts += more
                    decided += 1
                }
                #expect(Lot.fold(facts).left >= 0)
            }
        }
        #expect(decided > 500)
    }
}
