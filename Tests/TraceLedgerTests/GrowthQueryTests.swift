import Events
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Growth table")
struct GrowthQueryTests {
    /// A plot with three hours of climate, from 10:00 on, and two activities.
    private func season() throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.bind("plot/p1")
        let start = try #require(Instant("2026-07-01T10:00:00Z"))
        ledger.pass(days: start.seconds(since: ledger.now) / 86_400)
        for hour in 0..<3 {
            let readings = [
                Reading(.temperature, Double(20 + hour)), Reading(.humidity, 60), Reading(.illuminance, 41_000),
            ]
            try ledger.hear(
                Measured(
                    device: Ledger.device, format: "test", readings: readings, source: "test", repeats: 5, payload: ""),
                at: start.advanced(bySeconds: Double(hour) * 3600))
        }
        ledger.pass(days: 1)
        func record(_ kind: String, _ more: String, _ minute: Double) throws -> String {
            let at = start.advanced(bySeconds: minute * 60)
            return try ledger.done(
                "record-activity", #"{"plot":"p1","kind":"\#(kind)","happened":"\#(at)",\#(more)}"#
            ).get("activity")
        }
        let compost = try record("fertilising", #""substance":"=Compost","amount":300,"unit":"kg""#, 30)
        try ledger.done(
            "correct-activity", #"{"activity":"\#(compost)","amount":30,"reason":"One nought too many"}"#)
        _ = try record("plant-protection", #""substance":"Soap","amount":1.5,"unit":"l","waitingDays":3"#, 600)
        _ = try record("weeding", #""substance":"Hoe""#, 40)
        return ledger
    }

    @Test func `sensors and recorded activities fill the table, with corrections and without a second entry`() throws {
        let table = try season().done("growth", #"{"plot":"p1"}"#)
        let items = table.items("items")
        #expect(try items.map { try $0.get("SAF01", as: Int.self) } == [1, 2, 3, 4, 5])
        #expect(try items.map { try $0.find("SAF02", as: Double.self) } == [20, 20, 21, 22, nil])
        #expect(try items[0].get("SAF03", as: Double.self) == 60)
        #expect(try items[0].get("SAF04", as: Double.self) == 41_000)
        #expect(try items.map { try $0.find("SAF05", as: String.self) } == [nil, "=Compost, 30 kg", nil, nil, nil])
        #expect(try items.map { try $0.find("SAF06", as: String.self) } == [nil, nil, nil, nil, "Soap, 1.5 l"])
        #expect(try items[1].get("SAF07", as: String.self) == "2026-07-01T10:30:00.000000Z")
        #expect(
            try items[1].items("corrections").map { try $0.string() } == ["=Compost, 300 kg: One nought too many"])
    }

    @Test func `the table of a lot covers its time on the plot`() throws {
        let ledger = try season()
        try ledger.done("harvest", #"{"lot":"A","plot":"p2","product":"Carrots","grams":1000}"#)
        #expect(try ledger.done("growth", #"{"lot":"A"}"#).items("items").isEmpty)
        ledger.pass(days: 10)
        try ledger.done(
            "harvest",
            #"{"lot":"B","plot":"p1","product":"Carrots","grams":1000,"happened":"2026-07-05T10:00:00Z"}"#)
        try ledger.measure(30)
        let table = try ledger.done("growth", #"{"lot":"B","resolution":"1d"}"#)
        #expect(try table.get("plot", as: String.self) == "p1")
        #expect(try table.items("items").compactMap { try $0.find("SAF02", as: Double.self) } == [21, 21, 21])
        #expect(try ledger.refusal("growth", #"{"lot":"C"}"#) == "404 unknown-lot")
        #expect(try ledger.refusal("growth", "{}") == "422 nothing-named")
        #expect(try ledger.refusal("growth", #"{"plot":"p1","after":"x"}"#) == "422 no-such-page")
    }

    @Test func `pages continue the serial numbers, and CSV has the same records`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("plot/p1")
        let start = ledger.now.hour
        for hour in 0..<1200 { try ledger.measure(Double(hour), at: start.advanced(bySeconds: Double(hour) * 3600)) }
        ledger.pass(days: 51)
        var (serials, lines, next): ([Int], [Substring], String?) = ([], [], nil)
        repeat {
            let more = #""plot":"p1","from":"\#(start)""# + (next.map { #","after":"\#($0)""# } ?? "")
            let page = try ledger.done("growth", "{\(more)}")
            serials += try page.items("items").map { try $0.get("SAF01") }
            let csv: String = try ledger.done("growth", "{\(more),\"format\":\"csv\"}").get("csv")
            lines += csv.split(separator: "\r\n")
            next = try page.find("next")
        } while next != nil
        #expect(serials == Array(1...1200))
        #expect(lines.count == 1201)
        #expect(lines[0].hasPrefix("SAF01 serial number,SAF02 temperature (Cel),"))
        #expect(lines[1200].hasPrefix("1200,1199.0,,,,,"))
    }

    @Test func `a spreadsheet does not run what a person entered`() throws {
        let csv: String = try season().done("growth", #"{"plot":"p1","format":"csv"}"#).get("csv")
        #expect(csv.contains(#","'=Compost, 30 kg","#))
    }
}
