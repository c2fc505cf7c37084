import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Holds of lots")
struct HoldTests {
    private let spray = #""plot":"p1","kind":"plant-protection","substance":"Deltamethrin","amount":1,"unit":"l""#

    /// Returns a farm with a lot A, harvested yesterday, and a part B of it with labels.
    private func farm() throws -> Ledger {
        let ledger = try Ledger.farm()
        ledger.pass(days: 30)
        let yesterday = ledger.at(days: -1)
        try ledger.done(
            "harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":100000,"happened":"\#(yesterday)"}"#)
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":10000}"#)
        try ledger.done("pack-lot", #"{"lot":"B","boxes":2,"gramsEach":5000}"#)
        try ledger.done("print-labels", #"{"lot":"B"}"#)
        return ledger
    }

    @discardableResult
    private func record(_ ledger: Ledger, days: Int, before: Double = 4) throws -> String {
        try ledger.done(
            "record-activity", #"{\#(spray),"waitingDays":\#(days),"happened":"\#(ledger.at(days: -before))"}"#
        ).get("activity")
    }

    private func safety(_ ledger: Ledger) throws -> [String] {
        try ["A", "B"].map { try ledger.done("lot", #"{"lot":"\#($0)"}"#).get("safety") }
    }

    private func isRebuilt(_ ledger: Ledger) throws -> Bool {
        let (again, live) = try ledger.rebuilt()
        return again == live
    }

    @Test func `a spray recorded after a harvest holds the lot and its parts from labels and hand-over`() throws {
        let ledger = try farm()
        #expect(try safety(ledger) == ["clear", "clear"])
        try record(ledger, days: 14)
        #expect(try safety(ledger) == ["held", "held"])
        #expect(try ledger.refusal("print-labels", #"{"lot":"B"}"#) == "409 held")
        #expect(try ledger.refusal("labels", #"{"lot":"B"}"#) == "409 held")
        for lot in ["A", "B"] {
            #expect(try ledger.refusal("hand-over-lot", #"{"lot":"\#(lot)","to":"Market"}"#) == "409 held")
        }
        let holds = try ledger.done("holds")
        #expect(try holds.texts("items", "lot") == ["A"])
        #expect(try holds.texts("items", "reason").first?.hasPrefix("Deltamethrin of ") == true)
        // A lot that is split off later is held, too.
        try ledger.done("split-lot", #"{"lot":"A","into":"C","grams":1000}"#)
        #expect(try ledger.refusal("hand-over-lot", #"{"lot":"C","to":"Market"}"#) == "409 held")
        #expect(try isRebuilt(ledger))
    }

    @Test func `a lot is not held if the waiting time was over or the plot is another`() throws {
        let ledger = try farm()
        try record(ledger, days: 2)
        try ledger.done("record-activity", #"{"plot":"p1","kind":"plant-protection","waitingDays":9}"#)
        let elsewhere =
            #"{"plot":"p2","kind":"plant-protection","waitingDays":14,"happened":"\#(ledger.at(days: -4))"}"#
        try ledger.done("record-activity", elsewhere)
        #expect(try safety(ledger) == ["clear", "clear"])
        #expect(try ledger.done("holds").items("items").isEmpty)
    }

    @Test func `a hold follows corrections, and an event lifts it when its reason is gone`() throws {
        let ledger = try farm()
        let activity = try record(ledger, days: 2)
        func correct(_ days: Int) throws {
            try ledger.done(
                "correct-activity", #"{"activity":"\#(activity)","waitingDays":\#(days),"reason":"label read again"}"#)
        }
        try correct(14)
        #expect(try safety(ledger) == ["held", "held"])
        try correct(2)
        #expect(try safety(ledger) == ["clear", "clear"])
        let what = try ledger.passport("B").texts("custody", "what")
        #expect(what.suffix(2) == ["held", "hold-lifted"])
        #expect(try isRebuilt(ledger))
    }

    @Test func `a person releases a hold with a reason, and only a longer waiting time holds the lot again`() throws {
        let ledger = try farm()
        let activity = try record(ledger, days: 14)
        #expect(try ledger.refusal("release-lot", #"{"lot":"A"}"#) == "400 malformed")
        #expect(try ledger.refusal("release-lot", #"{"lot":"B","reason":"x"}"#) == "409 part-of-held-lot")
        try ledger.done("release-lot", #"{"lot":"A","reason":"The laboratory found nothing"}"#)
        #expect(try safety(ledger) == ["released", "released"])
        #expect(try ledger.refusal("release-lot", #"{"lot":"A","reason":"x"}"#) == "409 not-held")
        let entry = try #require(
            try ledger.core.log.reader().entries(from: 1, through: ledger.core.log.head.position).last)
        let told = try RecordedEvent(reading: entry.bytes)
        #expect(told.envelope.name == LotReleased.name && told.envelope.actor == .person(PersonID("anna")))
        #expect(try ledger.passport("A").get("released", as: String.self) == "The laboratory found nothing")
        try ledger.done("labels", #"{"lot":"B"}"#)
        try ledger.done(
            "correct-activity", #"{"activity":"\#(activity)","waitingDays":10,"reason":"Shorter, still too long"}"#)
        #expect(try safety(ledger) == ["released", "released"])
        try ledger.done("correct-activity", #"{"activity":"\#(activity)","waitingDays":21,"reason":"Longer"}"#)
        #expect(try safety(ledger) == ["held", "held"])
        #expect(try isRebuilt(ledger))
    }

    @Test func `a hold is in the next passport, even shortly after one was issued`() throws {
        let ledger = try farm()
        _ = try ledger.passport("B")
        let before = try ledger.passports().count
        try record(ledger, days: 14)
        try ledger.done("refresh-passport", #"{"lot":"B"}"#)
        #expect(try ledger.passports().count == before + 1)
        #expect(try ledger.passport("B").find("held", as: String.self) != nil)
    }

    @Test func `holds missing in an older version's journal are added after a start`() throws {
        let ledger = try farm()
        // As an older version recorded it: the activity alone.
        let event = ActivityRecorded(
            activity: "late", plot: "p1", kind: .plantProtection, details: ActivityDetails(waitingDays: 14))
        try ledger.hear(event, in: "plot/p1", at: ledger.at(days: -4), farm: "f1")
        #expect(try safety(ledger) == ["clear", "clear"])
        ledger.restart()
        try ledger.tick(after: 1)
        #expect(try safety(ledger) == ["held", "held"])
        // Only once: a second start finds nothing to do.
        let head = ledger.core.log.head.position
        ledger.restart()
        try ledger.tick(after: 1)
        #expect(ledger.core.log.head.position == head)
        #expect(try isRebuilt(ledger))
    }

    /// A table of cases that distinguishes the rule from its mutants.
    @Test func `a harvest within the waiting time is held, and each mutant of the rule is rejected`() {
        let day = 86_400.0
        func record(_ happened: Double, _ wait: Int?) -> ActivityRow.Record {
            ActivityRow.Record(
                kind: .plantProtection, happened: Instant(hours: 100_000).advanced(bySeconds: happened * day),
                recorded: Instant(hours: 200_000), details: ActivityDetails(waitingDays: wait))
        }
        let harvest = Instant(hours: 100_000)
        let cases: [(ActivityRow.Record, Bool)] = [
            (record(-3, 14), true), (record(-3, 3), false), (record(-3, 4), true), (record(1, 14), false),
            (record(-3, nil), false), (record(0, 1), true), (record(-14, 14), false), (record(-3, 0), false),
        ]
        func failures(_ rule: (ActivityRow.Record) -> Bool) -> Int { cases.count { rule($0.0) != $0.1 } }
        #expect(failures { $0.forbids(harvestAt: harvest) } == 0)
        let mutants: [(ActivityRow.Record) -> Bool] = [
            { ($0.waitingUntil ?? .init(hours: 0)) > harvest },
            { $0.happened <= harvest && ($0.waitingUntil ?? .init(hours: 0)) >= harvest },
            { $0.happened <= harvest },
            { $0.happened < harvest && ($0.waitingUntil ?? .init(hours: 0)) > harvest },
        ]
        print("holds: \(cases.count) cases, \(mutants.count) mutants")
        for mutant in mutants { #expect(failures(mutant) > 0) }
    }
}
