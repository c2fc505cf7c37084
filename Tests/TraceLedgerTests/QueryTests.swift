import EventSourcing
import Events
import Host
import JSON
import Testing
import Vocabulary
import Wire

@testable import TraceLedger

@Suite("Queries of the ledger")
struct QueryTests {
    @Test func `queries return farms, plots and stores with their latest readings`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try ledger.measure(4.5)
        try ledger.measure(9, at: ledger.at(days: -1))
        #expect(try ledger.done("farms").texts("items", "zone") == ["Europe/Vienna"])
        #expect(try ledger.done("plots").texts("items", "plot") == ["p1", "p2"])
        let store = try #require(try ledger.done("stores").items("items").first)
        #expect(try store.get("cold", as: Bool.self))
        let latest = try #require(store["latest"]?["temperature"])
        #expect(try latest.get("value", as: Double.self) == 4.5)
        #expect(try latest.get("unit", as: String.self) == "Cel")
        #expect(try latest.get("at", as: Instant.self) == ledger.now)
    }

    @Test func `places and lots with a blocked measurement are marked`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("plot/p1")
        try ledger.done("harvest", #"{"lot":"L1","plot":"p1","product":"Carrots","grams":1}"#)
        try ledger.done("harvest", #"{"lot":"L2","plot":"p2","product":"Carrots","grams":1}"#)
        func waiting(_ verb: String) throws -> [Bool] {
            try ledger.done(verb).items("items").map { try $0.find("waiting", as: Bool.self) ?? false }
        }
        #expect(try waiting("plots") == [false, false] && waiting("lots") == [false, false])
        try ledger.receiveUndecodable()
        #expect(try waiting("plots") == [true, false] && waiting("lots") == [true, false])
        #expect(try ledger.done("lot", #"{"lot":"L1"}"#).get("waiting", as: Bool.self))
    }

    @Test func `lists are paged to the end`() throws {
        let ledger = try Ledger.farm()
        for number in 1000..<1450 {
            try ledger.done("open-store", #"{"farm":"f1","store":"x\#(number)","title":"Store"}"#)
            try ledger.done("harvest", #"{"lot":"L\#(number)","plot":"p1","product":"Carrots","grams":1}"#)
            try ledger.done("record-activity", #"{"plot":"p2","kind":"weeding"}"#)
        }
        for (verb, member, count) in [("stores", "store", 452), ("lots", "lot", 450), ("activities", "activity", 450)] {
            var names: [String] = []
            var after: String?
            repeat {
                let cursor = after.map { #","after":"\#($0)""# } ?? ""
                let plot = verb == "activities" ? "p2" : "p1"
                let page = try ledger.done(verb, #"{"plot":"\#(plot)"\#(cursor)}"#)
                names += try page.texts("items", member)
                after = try page.find("next")
            } while after != nil
            #expect(names.count == count, "\(verb)")
            #expect(Set(names).count == count, "\(verb)")
        }
    }

    @Test func `the alarms of a store are read once for a page of lots`() throws {
        let ledger = try Ledger.farm()
        let place = Place.store(StoreID("s1"))
        let (count, later) = (LedgerLimits.pageItems, 2000)
        func alarm() {
            let row = LedgerAlarmRow(
                AlarmRaised(
                    rule: RuleID("warm"), point: PointID("m1"), place: place, device: Ledger.device,
                    quantity: .temperature, value: 9, limit: 8), at: ledger.now, kind: nil)
            ledger.core.tables.put(row.cleared(at: ledger.now.advanced(bySeconds: 30)))
        }
        for number in 0..<count {
            try ledger.done("harvest", #"{"lot":"L-\#(number)","plot":"p1","product":"Carrots","grams":1}"#)
            try ledger.done("store-lot", #"{"lot":"L-\#(number)","store":"s1"}"#)
            // Every other lot is there during an alarm.
            ledger.pass(days: 0.01)
            if number.isMultiple(of: 2) { alarm() }
            ledger.pass(days: 0.01)
            try ledger.done("hand-over-lot", #"{"lot":"L-\#(number)","to":"Market"}"#)
            ledger.pass(days: 0.01)
        }
        for _ in 0..<later {
            alarm()
            ledger.pass(days: 0.01)
        }
        let tables = CountedTables(ledger.core.tables)
        let queries = LotQueries(tables: tables, now: ledger.now)
        let lots = try JSONValue.parse(try queries.answer(.lots, RequestBody([])).body).items("items")
        let alarmed = try lots.filter { try $0.get("alarm", as: Bool.self) }.map { try $0.get("lot", as: String.self) }
        #expect(lots.count == count)
        #expect(Set(alarmed) == Set((0..<count).filter { $0.isMultiple(of: 2) }.map { "L-\($0)" }))
        let pages = tables.scans[LedgerAlarmRow.schema.name] ?? 0
        print("lots: a page of \(count) read \(later + count / 2) alarms in \(pages) scans")
        #expect((1...(later + count / 2) / LedgerLimits.alarms + 1).contains(pages))
    }

    @Test func `lots on the farm are listed first, and the newest harvest first among them`() throws {
        let ledger = try Ledger.farm()
        func lots() throws -> [String] { try ledger.done("lots").texts("items", "lot") }
        for lot in ["M", "Z", "A"] {
            try ledger.done("harvest", #"{"lot":"\#(lot)","plot":"p1","product":"Carrots","grams":100}"#)
            ledger.pass(days: 1)
        }
        #expect(try lots() == ["A", "Z", "M"])
        try ledger.done("hand-over-lot", #"{"lot":"A","to":"Market"}"#)
        #expect(try lots() == ["Z", "M", "A"])
        try ledger.done("split-lot", #"{"lot":"Z","into":"Y","grams":50}"#)
        try ledger.done("hand-over-lot", #"{"lot":"M","to":"Market"}"#)
        #expect(try lots() == ["Y", "Z", "A", "M"])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `lots are found by number, product, item number, serial, plot and time of harvest`() throws {
        let ledger = try Ledger.farm()
        var lots: [(lot: String, at: Instant)] = []
        let grown = [("TOM-1", "p1", "Tomatoes"), ("TOM-2", "p2", "Tomatoes"), ("CAR-1", "p2", "Carrots")]
        for (lot, plot, product) in grown {
            try ledger.done("harvest", #"{"lot":"\#(lot)","plot":"\#(plot)","product":"\#(product)","grams":900}"#)
            lots.append((lot, ledger.now))
            ledger.pass(days: 1)
        }
        let serials = try ledger.done("pack-lot", #"{"lot":"TOM-1","boxes":3,"gramsEach":100}"#)
            .get("serials", as: [String].self)
        try ledger.done("hand-over-lot", #"{"lot":"TOM-1","to":"Market"}"#)
        let gtin: String = try ledger.done("lot", #"{"lot":"CAR-1"}"#).get("gtin")
        func found(_ filter: String) throws -> [String] { try ledger.done("lots", "{\(filter)}").texts("items", "lot") }
        let searches: [(filter: String, lots: [String])] = [
            ("", ["CAR-1", "TOM-2", "TOM-1"]), (#""q":"tom-1""#, ["TOM-1"]), (#""q":"TOMATO""#, ["TOM-2", "TOM-1"]),
            (#""q":"\#(gtin)""#, ["CAR-1"]), (#""q":"\#(gtin.dropFirst())""#, ["CAR-1"]),
            (#""q":"\#(serials[1])""#, ["TOM-1"]), (#""q":"\#(serials[2].lowercased())""#, ["TOM-1"]),
            (#""q":"tomatoes tom-2""#, ["TOM-2"]), (#""q":"turnips""#, []), (#""plot":"p2""#, ["CAR-1", "TOM-2"]),
            (#""plot":"p2","q":"tom""#, ["TOM-2"]), (#""plot":"p2","q":"\#(serials[1])""#, []),
            (#""limit":2"#, ["CAR-1", "TOM-2"]), (#""from":"\#(lots[1].at)""#, ["CAR-1", "TOM-2"]),
            (#""to":"\#(lots[1].at)""#, ["TOM-1"]),
            (#""from":"\#(lots[0].at)","to":"\#(lots[2].at)""#, ["TOM-2", "TOM-1"]),
        ]
        for search in searches { #expect(try found(search.filter) == search.lots, "\(search.filter)") }
        #expect(try ledger.refusal("lots", #"{"plot":"no name"}"#) == "400 malformed")
        print("lots: \(searches.count) searches")
    }

    @Test func `a search examines a limited number of lots and returns where the next page begins`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"OLD","plot":"p1","product":"Turnips","grams":1}"#)
        ledger.pass(days: 2)
        for number in 0..<LedgerLimits.searchedLots + 10 {
            var state = Lot.State()
            state.harvestedAt = ledger.now
            let row = LotRow(LotID("N-\(number)"), farm: FarmID("f1"), state: state)
            ledger.core.tables.put(ListedLotRow(row))
        }
        var (pages, lots, after): (Int, [String], String?) = (0, [], nil)
        repeat {
            let page = try ledger.done("lots", #"{"q":"turnips"\#(after.map { #","after":"\#($0)""# } ?? "")}"#)
            (pages, lots, after) = (pages + 1, lots + (try page.texts("items", "lot")), try page.find("next"))
        } while after != nil && pages < 9
        #expect(pages == 2 && lots == ["OLD"])
    }

    @Test func `activities of a plot are listed newest first, with every correction`() throws {
        let ledger = try Ledger.farm()
        let first: String = try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#).get("activity")
        ledger.pass(days: 1)
        try ledger.done("record-activity", #"{"plot":"p1","kind":"weeding"}"#)
        try ledger.done("correct-activity", #"{"activity":"\#(first)","kind":"planting","reason":"X"}"#)
        try ledger.done("correct-activity", #"{"activity":"\#(first)","substance":"Seedlings","reason":"Y"}"#)
        let done = try ledger.done("activities", #"{"plot":"p1"}"#)
        #expect(try done.texts("items", "kind") == ["weeding", "sowing"])
        let corrections = try #require(done.items("items").last).items("corrections")
        #expect(try corrections.map { try $0.get("reason", as: String.self) } == ["X", "Y"])
        #expect(try corrections.map { try $0.get("kind", as: String.self) } == ["planting", "planting"])
    }

    @Test func `a lot is returned with its boxes, children and history`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        try ledger.done("pack-lot", #"{"lot":"A","boxes":2,"gramsEach":100}"#)
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":300}"#)
        let lot = try ledger.done("lot", #"{"lot":"A"}"#)
        #expect(try lot.get("left", as: Int.self) == 500)
        #expect(try lot.texts("boxList", "serial").count == 2)
        #expect(try lot.items("boxList").map { try $0.get("number", as: Int.self) } == [1, 2])
        #expect(try lot.items("children").map { try $0.string() } == ["B"])
        #expect(try lot.texts("custody", "what") == ["harvested", "packed"])
        #expect(try ledger.done("lot", #"{"lot":"B"}"#).get("parent", as: String.self) == "A")
    }

    @Test func `hourly values are returned, by default those of the last two weeks`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let start = ledger.now
        for hour in 0..<48 { try ledger.measure(Double(hour), at: start.advanced(bySeconds: Double(hour) * 3600)) }
        ledger.pass(days: 3)
        let all = try ledger.done("readings", #"{"place":"store/s1","quantity":"temperature"}"#)
        #expect(all.items("items").count == 48)
        let from = start.advanced(bySeconds: 3600 * 10)
        let to = start.advanced(bySeconds: 3600 * 12)
        let some = try ledger.done(
            "readings", #"{"place":"store/s1","quantity":"temperature","from":"\#(from)","to":"\#(to)"}"#)
        #expect(try some.items("items").map { try $0.get("mean", as: Double.self) } == [10, 11, 12])
        let ever = try ledger.done(
            "readings", #"{"place":"store/s1","quantity":"temperature","from":"0000-01-01T00:00:00Z"}"#)
        #expect(ever.items("items").count == 48)
    }

    @Test func `a device's readings are listed at its current place`() throws {
        let ledger = try Ledger.farm()
        try ledger.measure(1)
        try ledger.bind("store/s1")
        try ledger.measure(2)
        try ledger.bind("store/s2")
        try ledger.measure(3)
        func latest(_ store: String) throws -> Double? {
            let item = try ledger.done("stores").items("items").first { try $0.get("store", as: String.self) == store }
            return try item?["latest"]?["temperature"]?.get("value")
        }
        #expect(try latest("s1") == 2)
        #expect(try latest("s2") == 3)
    }
}
