import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import TraceLedger

@Suite("Readings")
struct ReadingsQueryTests {
    private let other = DeviceID("ble:0000000000aa")

    private func means(_ ledger: Ledger, _ body: String) throws -> [Double] {
        try ledger.done("readings", body).items("items").map { try $0.get("mean") }
    }

    private func setRule(
        _ ledger: Ledger, _ rule: RuleID, above: Double?, below: Double? = nil, on: Bool = true
    ) throws {
        try ledger.hear(
            RuleSet(
                rule: rule, place: .store("s1"), quantity: .temperature, above: above, below: below, hysteresis: 0.5,
                enabled: on))
    }

    @Test func `a late report corrects its bucket, and a repeated one changes nothing`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let start = ledger.now.hour.advanced(bySeconds: 3600)
        try ledger.measure(4, at: start)
        try ledger.measure(8, at: start.advanced(bySeconds: 600))
        ledger.pass(days: 1)
        let query = #"{"place":"store/s1","quantity":"temperature","resolution":"1h"}"#
        #expect(try means(ledger, query) == [6])
        try ledger.measure(3, at: start.advanced(bySeconds: 300))
        #expect(try means(ledger, query) == [5])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
        let bucket = try #require(try ledger.done("readings", query).items("items").first)
        #expect(try bucket.get("last", as: Double.self) == 8)
        #expect(try bucket.get("n", as: Int.self) == 3)
    }

    @Test func `a point keeps its history when its device is replaced, and a device when it moves`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try ledger.measure(4)
        ledger.pass(days: 1)
        try ledger.bind("store/s1", device: other)
        try ledger.measure(5, device: other)
        try ledger.bind("store/s2", point: "m2")
        ledger.pass(days: 1)
        try ledger.measure(20)
        func read(_ what: String) throws -> [Double] { try means(ledger, "{\(what),\"quantity\":\"temperature\"}") }
        #expect(try read(#""point":"m1""#) == [4, 5])
        #expect(try read(#""device":"\#(Ledger.device)""#) == [4, 20])
        #expect(try read(#""point":"m1","device":"\#(other)""#) == [5])
        #expect(try read(#""place":"store/s1""#) == [4, 5])
        #expect(try read(#""place":"store/s2""#) == [20])
        #expect(try read(#""point":"m9""#) == [])
    }

    @Test func `degree-hours follow the rules of the place as they are set now`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let start = ledger.now.hour.advanced(bySeconds: 3600)
        for (minute, value) in [(0.0, 9.0), (30, 12), (75, 7)] {
            try ledger.measure(value, at: start.advanced(bySeconds: minute * 60))
        }
        ledger.pass(days: 1)
        let query = #"{"place":"store/s1","quantity":"temperature","resolution":"1h"}"#
        func above() throws -> [Double?] {
            try ledger.done("readings", query).items("items").map { try $0.find("unitHoursAbove") }
        }
        #expect(try above() == [nil, nil])
        try setRule(ledger, "warm", above: 8)
        #expect(try above() == [2.5, 1])
        #expect(try ledger.done("readings", query).get("above", as: Double.self) == 8)
        try setRule(ledger, "warm", above: 8, on: false)
        #expect(try above() == [nil, nil])
    }

    @Test func `a day's bucket is the farm's day, also when the clocks change`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let noon = try #require(Instant("2026-10-25T12:00:00Z"))
        ledger.pass(days: noon.seconds(since: ledger.now) / 86_400)
        for hour in -24..<24 { try ledger.measure(Double(hour), at: noon.advanced(bySeconds: Double(hour) * 3600)) }
        ledger.pass(days: 3)
        let days = try ledger.done(
            "readings",
            #"{"place":"store/s1","quantity":"temperature","resolution":"1d","from":"2026-10-20T00:00:00Z"}"#)
        #expect(try days.get("zone", as: String.self) == "Europe/Vienna")
        #expect(
            try days.texts("items", "at") == [
                "2026-10-23T22:00:00.000000Z", "2026-10-24T22:00:00.000000Z", "2026-10-25T23:00:00.000000Z",
            ])
        #expect(try days.items("items").map { try $0.get("n", as: Int.self) } == [10, 25, 13])
    }

    @Test func `pages of a long time have every bucket once, and one page covers a limited time`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let start = ledger.now.hour
        for hour in 0..<200 { try ledger.measure(Double(hour), at: start.advanced(bySeconds: Double(hour) * 3600)) }
        ledger.pass(days: 9)
        var (values, pages, next): ([Double], Int, String?) = ([], 0, nil)
        repeat {
            let after = next.map { #","after":"\#($0)""# } ?? ""
            let page = try ledger.done(
                "readings",
                #"{"place":"store/s1","quantity":"temperature","resolution":"1m","from":"2000-01-01T00:00:00Z"\#(after)}"#
            )
            values += try page.items("items").map { try $0.get("mean") }
            next = try page.find("next")
            pages += 1
        } while next != nil
        #expect(values == (0..<200).map(Double.init))
        // A page has 1,500 minutes: 25 of 216 hours. The empty years before the first report are skipped.
        #expect(pages == 9)
    }

    @Test func `a CSV file has units in its header, the farm's time, and empty cells without a report`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try setRule(ledger, "warm", above: 8)
        let start = try #require(Instant("2026-07-01T10:00:00Z"))
        ledger.pass(days: start.seconds(since: ledger.now) / 86_400)
        try ledger.measure(9, at: start.advanced(bySeconds: 1800))
        ledger.pass(days: 1)
        let query =
            #"{"place":"store/s1","quantity":"temperature","resolution":"1h","format":"csv","from":"2026-07-01T00:00:00Z"}"#
        let csv: String = try ledger.done("readings", query).get("csv")
        #expect(
            csv.split(separator: "\r\n") == [
                "at (UTC),local time (Europe/Vienna),n,temperature min (Cel),temperature mean (Cel),"
                    + "temperature max (Cel),temperature last (Cel),above the limit (Cel h),below the limit (Cel h)",
                "2026-07-01T10:00:00.000000Z,2026-07-01 12:00,1,9.0,9.0,9.0,9.0,0.5,",
                "2026-07-01T11:00:00.000000Z,2026-07-01 13:00,0,,,,,0.5,",
            ])
    }

    @Test func `a query without place, point and device, or with an unknown resolution, is refused`() throws {
        let ledger = try Ledger.farm()
        #expect(try ledger.refusal("readings", #"{"quantity":"temperature"}"#) == "422 nothing-named")
        let odd = #"{"place":"store/s1","quantity":"temperature","resolution":"2h"}"#
        #expect(try ledger.refusal("readings", odd) == "400 malformed")
    }

    @Test func `tables in a SQLite file give the same readings as tables in memory`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try setRule(ledger, "warm", above: 8, below: 2)
        let start = ledger.now.hour
        for minute in stride(from: 0.0, to: 3000, by: 7) {
            let value = (minute / 10).truncatingRemainder(dividingBy: 13)
            try ledger.measure(value, at: start.advanced(bySeconds: minute * 60))
        }
        ledger.pass(days: 3)
        try withTemporaryDirectory { folder in
            let tables = try SQLiteTables(folder: folder, Folding<TraceLedger>.schemas)
            func copy<Row: TableRow>(_ type: Row.Type) { ledger.core.tables.all(type, prefix: "").forEach(tables.put) }
            copy(SeriesRow.self)
            copy(SampleRow.self)
            copy(LimitRow.self)
            copy(PlaceRow.self)
            copy(FarmRow.self)
            try tables.flush(at: 1)
            for resolution in Resolution.allCases {
                let body = try RequestBody(
                    Array(#"{"point":"m1","quantity":"temperature","resolution":"\#(resolution.rawValue)"}"#.utf8))
                func answer(_ tables: any Tables) throws -> String {
                    let query = try ReadingsQuery(body, in: tables, Zones(), now: ledger.now)
                    return String(decoding: query.response().body, as: UTF8.self)
                }
                let stored = try answer(tables)
                #expect(try stored == answer(ledger.core.tables))
                #expect(stored.contains("unitHoursAbove"))
            }
        }
    }
}
