import EventSourcing
import EventStore
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Photographs")
struct PhotographTests {
    private func farm() throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#)
        return ledger
    }

    /// Records a photograph of now. Returns its name.
    @discardableResult
    private func take(_ number: Int, of place: String = "plot/p1", _ ledger: Ledger) throws -> String {
        func digest(_ letter: String) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: letter, count: 64 - digits.count) + digits
        }
        let files = #""picture":"\#(digest("a"))","preview":"\#(digest("b"))","thumbnail":"\#(digest("c"))""#
        return try ledger.done(
            "record-photograph", #"{"place":"\#(place)",\#(files),"width":1024,"height":768}"#
        ).get("photograph")
    }

    private func show(_ photograph: String, isShown: Bool = true, _ ledger: Ledger) throws {
        try ledger.done("show-photograph", #"{"photograph":"\#(photograph)","isShown":\#(isShown)}"#)
    }

    private func listed(_ ledger: Ledger, _ place: String = "plot/p1") throws -> [String] {
        try ledger.done("photographs", #"{"place":"\#(place)"}"#).texts("items", "photograph")
    }

    private func trust(_ time: Instant, _ ledger: Ledger) throws {
        try ledger.hear(ClockTrusted(wall: time, boot: "b", uptime: 1, trusted: time, frozen: 0))
    }

    @Test func `a story shows the chosen photographs of its places, of the time when the lot was there`() throws {
        let ledger = try farm()
        let early = try take(1, ledger)
        ledger.pass(days: 30)
        let growing = try take(2, ledger)
        try take(3, ledger)
        ledger.pass(days: 30)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        ledger.pass(days: 1)
        let after = try take(4, ledger)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        ledger.pass(days: 1)
        let stored = try take(5, of: "store/s1", ledger)
        let elsewhere = try take(6, of: "store/s2", ledger)
        for one in [early, growing, after, stored, elsewhere] { try show(one, ledger) }

        let story = try ledger.passport("A")
        #expect(try story.texts("photographs", "place") == ["North field", "North field", "Cold store"])
        #expect(try story.texts("photographs", "thumbnail").map { String($0.suffix(1)) } == ["1", "2", "5"])
    }

    @Test func `a story changes when a photograph is chosen, taken out or removed, and not before`() throws {
        let ledger = try farm()
        let photograph = try take(1, ledger)
        let other = try take(2, ledger)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        #expect(try ledger.passport("A")["photographs"] == nil)
        try show(photograph, ledger)
        try show(other, ledger)
        #expect(try ledger.passport("A").items("photographs").count == 2)
        try show(photograph, isShown: false, ledger)
        #expect(try ledger.passport("A").items("photographs").count == 1)
        try ledger.done("remove-photograph", #"{"photograph":"\#(other)"}"#)
        #expect(try ledger.passport("A")["photographs"] == nil)
        let head = ledger.core.log.head.position
        try show(photograph, isShown: false, ledger)
        #expect(ledger.core.log.head.position == head, "what is not chosen is taken out without an event")
        let (rebuilt, live) = try ledger.rebuilt()
        #expect(rebuilt == live)
    }

    @Test func `a story has room for its newest photographs, and counts the others`() throws {
        let ledger = try farm()
        for number in 0..<LedgerLimits.storyPhotographs + 3 {
            ledger.pass(days: 1)
            try show(try take(number, ledger), ledger)
        }
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        let story = try ledger.passport("A")
        #expect(story.items("photographs").count == LedgerLimits.storyPhotographs)
        let omitted = try #require(story["omitted"])
        #expect(try omitted.get("photographs", as: Int.self) == 3)
    }

    @Test func `old photographs are removed, but not those that stories show`() throws {
        let ledger = try farm()
        let shown = try take(1, ledger)
        try show(shown, ledger)
        for number in 2..<2 + LedgerLimits.removedPhotographs + 20 { try take(number, ledger) }
        ledger.pass(days: 1)
        let young = try take(900, ledger)
        ledger.pass(days: Double(LedgerLimits.photographDays) - 0.5)
        try trust(ledger.now, ledger)
        try ledger.passHour()
        try ledger.tick(after: 0.1)
        #expect(try listed(ledger) == [young, shown])
        let (rebuilt, live) = try ledger.rebuilt()
        #expect(rebuilt == live)
    }

    @Test func `a clock that is wrong by years removes nothing`() throws {
        let ledger = try farm()
        let photograph = try take(1, ledger)
        let right = ledger.now
        ledger.pass(days: 3000)
        try ledger.passHour()
        #expect(try listed(ledger) == [photograph], "no time is trusted yet")
        try trust(right, ledger)
        try ledger.passHour()
        #expect(try listed(ledger) == [photograph], "the trusted time is that of before")
    }
}
