import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Harvests")
struct HarvestTests {
    @Test func `a harvest is refused until the waiting time of an earlier activity is over`() throws {
        let ledger = try Ledger.farm()
        try ledger.done(
            "record-activity", #"{"plot":"p1","kind":"plant-protection","substance":"Copper","waitingDays":14}"#)
        ledger.pass(days: 13.9)
        let body = #"{"plot":"p1","product":"Carrots","grams":1000}"#
        #expect(try ledger.refusal("harvest", body) == "409 waiting-time")
        #expect(
            try ledger.refusal(
                "harvest", #"{"plot":"p1","product":"Carrots","grams":1000,"happened":"\#(ledger.at(days: -1))"}"#)
                == "409 waiting-time")
        // Nothing was applied to the other plot.
        try ledger.done("harvest", #"{"plot":"p2","product":"Carrots","grams":1000}"#)
        ledger.pass(days: 0.2)
        try ledger.done("harvest", body)
    }

    @Test func `the weight of a harvest is corrected, and its story contains both weights`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":2400000}"#)
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":40000}"#)
        try ledger.done("correct-harvest", #"{"lot":"A","grams":240000,"reason":"One nought too many"}"#)
        let lot = try ledger.done("lot", #"{"lot":"A"}"#)
        #expect(try lot.get("grams", as: Int.self) == 240_000 && lot.get("left", as: Int.self) == 200_000)
        let story = try ledger.passport("A")
        #expect(try story.get("grams", as: Int.self) == 240_000)
        let way = story.items("custody")
        #expect(try story.texts("custody", "what") == ["harvested", "corrected"])
        #expect(try way[0].get("grams", as: Int.self) == 2_400_000)
        #expect(try way[1].get("grams", as: Int.self) == 240_000 && way[1].find("to", as: String.self) == nil)
        #expect(try way[1].get("reason", as: String.self) == "One nought too many")
        // A lot that was split off before has its own weight, which is not a harvest's. The correction is part of its
        // story, and of the story of lots split from it, once.
        #expect(try ledger.refusal("correct-harvest", #"{"lot":"B","grams":1,"reason":"x"}"#) == "409 not-harvested")
        try ledger.done("split-lot", #"{"lot":"B","into":"C","grams":1000}"#)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        #expect(try ledger.passport("B").texts("custody", "what") == ["harvested", "split", "corrected"])
        #expect(try ledger.passport("B").get("grams", as: Int.self) == 40_000)
        #expect(try ledger.passport("C").texts("custody", "what") == ["harvested", "split", "corrected", "split"])
        #expect(
            try ledger.refusal("correct-harvest", #"{"lot":"A","grams":39999,"reason":"x"}"#) == "409 too-little")
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `a harvest before an activity need not wait for it, however late it is recorded`() throws {
        let ledger = try Ledger.farm()
        let before = ledger.now
        ledger.pass(days: 2)
        try ledger.done("record-activity", #"{"plot":"p1","kind":"plant-protection","waitingDays":14}"#)
        let harvest = #"{"plot":"p1","product":"Carrots","grams":1000,"happened":"\#(before)"}"#
        try ledger.done("harvest", harvest)
    }

    @Test func `the waiting time of a corrected activity applies to a harvest`() throws {
        let ledger = try Ledger.farm()
        let wrong: String = try ledger.done(
            "record-activity", #"{"plot":"p1","kind":"plant-protection","waitingDays":3}"#
        ).get("activity")
        ledger.pass(days: 4)
        try ledger.done("correct-activity", #"{"activity":"\#(wrong)","waitingDays":14,"reason":"misread"}"#)
        #expect(try ledger.refusal("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#) == "409 waiting-time")
        try ledger.done("correct-activity", #"{"activity":"\#(wrong)","waitingDays":null,"reason":"was water"}"#)
        try ledger.done("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#)
    }

    @Test func `a harvest waits for any of many activities on its plot, and its story counts all of them`() throws {
        let ledger = try Ledger.farm()
        let count = 2100
        var names: [String] = []
        for _ in 0..<count {
            names.append(try ledger.done("record-activity", #"{"plot":"p1","kind":"irrigating"}"#).get("activity"))
        }
        // The activity whose row sorts last.
        let last = try #require(names.max())
        try ledger.done(
            "correct-activity",
            #"{"activity":"\#(last)","kind":"plant-protection","waitingDays":14,"reason":"it was copper"}"#)
        #expect(try ledger.refusal("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#) == "409 waiting-time")

        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing","happened":"\#(ledger.at(days: -1))"}"#)
        ledger.pass(days: 15)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        let story = try ledger.passport("A")
        let omitted = try #require(story["omitted"]).get("activities", as: Int.self)
        let told = story.items("activities")
        #expect(told.count + omitted == count + 1)
        #expect(try told.last?["correctedTo"]?.get("kind", as: String.self) == "plant-protection")
        print("harvest: \(told.count) activities told, \(omitted) counted")
    }

    @Test func `a waiting time still applies when only another detail of the activity was corrected`() throws {
        let ledger = try Ledger.farm()
        let activity: String = try ledger.done(
            "record-activity", #"{"plot":"p1","kind":"plant-protection","substance":"Coper","waitingDays":14}"#
        ).get("activity")
        try ledger.done("correct-activity", #"{"activity":"\#(activity)","substance":"Copper","reason":"spelling"}"#)
        #expect(try ledger.refusal("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#) == "409 waiting-time")
    }

    @Test func `a crop grew since the last sowing before its harvest, as corrected`() throws {
        let ledger = try Ledger.farm()
        let sown: String = try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#).get("activity")
        let first = ledger.now
        ledger.pass(days: 60)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        try ledger.done("record-activity", #"{"plot":"p1","kind":"planting"}"#)
        let second = ledger.now
        ledger.pass(days: 60)
        try ledger.done("harvest", #"{"lot":"B","plot":"p1","product":"Carrots","grams":1}"#)
        // Recorded late: this harvest was before the planting.
        try ledger.done(
            "harvest",
            #"{"lot":"C","plot":"p1","product":"Carrots","grams":1,"happened":"\#(first.advanced(bySeconds: 86_400))"}"#
        )
        let earlier = first.advanced(bySeconds: -10 * 86_400)
        try ledger.done(
            "correct-activity", #"{"activity":"\#(sown)","happened":"\#(earlier)","reason":"wrong week"}"#)
        try ledger.done(
            "harvest",
            #"{"lot":"D","plot":"p1","product":"Carrots","grams":1,"happened":"\#(first.advanced(bySeconds: 86_400))"}"#
        )
        let grown = ["A", "B", "C", "D"].map { ledger.core.tables.get(LotRow.self, $0)?.state.harvest?.from }
        #expect(grown == [first, second, first, earlier])
    }

    @Test func `a harvest with a mistyped year is refused, because its day cannot be corrected`() throws {
        let ledger = try Ledger.farm()
        let year = 365.0
        for days in [-64 * year, -3 * year - 2, year, 36 * year] {
            let harvest = #"{"plot":"p1","product":"Carrots","grams":1,"happened":"\#(ledger.at(days: days))"}"#
            #expect(try ledger.refusal("harvest", harvest) == (days < 0 ? "422 too-long-ago" : "422 in-the-future"))
            let detail: String = try ledger.ask("harvest", harvest).json.get("detail")
            #expect(detail.hasPrefix("happened: \(ledger.at(days: days)) ") && (days > 0 || detail.contains("year")))
        }
        // Wheat of the year before last.
        let wheat = #"{"plot":"p1","product":"Wheat","grams":1,"happened":"\#(ledger.at(days: -2 * year))"}"#
        try ledger.done("harvest", wheat)
    }

    @Test func `a harvest without a sowing has its own time as the start of growth`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        #expect(ledger.core.tables.get(LotRow.self, "A")?.state.harvest?.from == ledger.now)
    }

    @Test func `a harvest response contains a note if its item number is valid inside the farm only`() throws {
        let ledger = try Ledger.farm()
        let own = try ledger.done("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#)
        #expect(try own.get("restricted", as: Bool.self))
        #expect(try own.get("note", as: String.self).contains("GS1"))
        let number: GTIN = try own.get("gtin")
        #expect(number.isRestricted)
        // The same product has the same number, another one gets the next.
        #expect(try ledger.done("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#).get("gtin") == number)
        #expect(try ledger.done("harvest", #"{"plot":"p1","product":"Beets","grams":1}"#).get("gtin") != number)
        let bought = try ledger.done(
            "harvest", #"{"plot":"p1","product":"Leeks","grams":1,"gtin":"9520123456788"}"#)
        #expect(try bought.get("gtin", as: String.self) == "09520123456788")
        #expect(try bought.get("restricted", as: Bool.self) == false)
        #expect(bought["note"] == nil)
    }

    @Test func `two products never get the same item number`() throws {
        let ledger = try Ledger.farm()
        // A request for the number that the third product would get.
        let third = try #require(GTIN.restricted(3))
        try ledger.done("harvest", #"{"plot":"p1","product":"A","grams":1,"gtin":"\#(third)"}"#)
        var numbers: Set<String> = [third.digits]
        for product in ["B", "C", "D", "E"] {
            numbers.insert(try ledger.done("harvest", #"{"plot":"p1","product":"\#(product)","grams":1}"#).get("gtin"))
        }
        #expect(numbers.count == 5)
    }

    @Test func `a harvest without a requested lot number gets one from its day`() throws {
        let ledger = try Ledger.farm()
        var names: Set<String> = []
        for _ in 0..<50 {
            names.insert(try ledger.done("harvest", #"{"plot":"p1","product":"Carrots","grams":1}"#).get("lot"))
        }
        #expect(names.count == 50)
        #expect(names.allSatisfy { $0.hasPrefix("L260503-") && $0.utf8.count == 13 })
    }

    @Test func `lot numbers and labels have the day in the farm's time zone`() throws {
        let ledger = try Ledger.farm()
        ledger.clock.set(to: try #require(Instant("2026-05-05T12:00:00Z")))
        var told: [String: [String]] = [:]
        for (farm, zone) in [
            ("york", "America/New_York"), ("wien", "Europe/Vienna"), ("utc", "UTC"), ("tarawa", "Pacific/Tarawa"),
        ] {
            try ledger.done("found-farm", #"{"farm":"\#(farm)","title":"X","zone":"\#(zone)"}"#)
            try ledger.done("lay-out-plot", #"{"farm":"\#(farm)","plot":"\#(farm)","title":"X"}"#)
            for happened in ["2026-05-04T01:00:00Z", "2026-05-04T22:30:00Z"] {
                let harvest = #"{"plot":"\#(farm)","product":"Carrots","grams":9,"happened":"\#(happened)"}"#
                let lot: String = try ledger.done("harvest", harvest).get("lot")
                let part: String = try ledger.done("split-lot", #"{"lot":"\#(lot)","grams":1}"#).get("lot")
                try ledger.done("pack-lot", #"{"lot":"\#(lot)","boxes":1,"gramsEach":1}"#)
                let day: String = try ledger.done("print-labels", #"{"lot":"\#(lot)"}"#).get("harvestDay")
                #expect(try ledger.done("labels", #"{"lot":"\#(lot)"}"#).get("harvestDay") == day)
                let short = "L" + day.replacing("-", with: "").dropFirst(2)
                #expect(lot.hasPrefix(short) && part.hasPrefix(short))
                told[farm, default: []].append(day)
            }
        }
        #expect(
            told == [
                "york": ["2026-05-03", "2026-05-04"], "wien": ["2026-05-04", "2026-05-05"],
                "utc": ["2026-05-04", "2026-05-04"], "tarawa": ["2026-05-04", "2026-05-05"],
            ])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }
}
