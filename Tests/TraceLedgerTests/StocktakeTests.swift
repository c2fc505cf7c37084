import Crypto
import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Stocktakes")
struct StocktakeTests {
    /// Returns a ledger with an inventory of so many tools, and an open stocktake of it.
    private func ledger(items: Int) throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.done("set-inventory", #"{"inventory":"tools","title":"Tools","place":"store/s2"}"#)
        for number in 0..<items {
            try ledger.done(
                "set-item",
                #"{"item":"i\#(number)","inventory":"tools","title":"Tool \#(number)","beacon":"b:\#(number)","#
                    + #""code":"c\#(number)","value":{"minor":4990,"currency":"EUR"}}"#)
        }
        try ledger.done("start-stocktake", #"{"inventory":"tools","stocktake":"s","title":"Autumn"}"#)
        return ledger
    }

    private func sighting(
        _ ledger: Ledger, _ thing: String, after seconds: Double = 0, device: String = "phone", place: String? = nil
    ) -> String {
        let at = ledger.now.advanced(bySeconds: seconds)
        let place = place.map { #","place":"\#($0)""# } ?? ""
        return #"{"thing":"\#(thing)","at":"\#(at)","how":"picked","device":"\#(device)"\#(place)}"#
    }

    private func count(_ ledger: Ledger, _ sightings: [String]) throws {
        try ledger.done("count-items", #"{"stocktake":"s","sightings":[\#(sightings.joined(separator: ","))]}"#)
    }

    private func lines(_ ledger: Ledger) throws -> [String] {
        var (lines, after): ([String], Int?) = ([], nil)
        repeat {
            let next = after.map { #","after":\#($0)"# } ?? ""
            let page = try ledger.done("stocktake-lines", #"{"stocktake":"s"\#(next)}"#)
            lines += try page.get("items", as: [String].self)
            after = try page.find("next", as: Int.self)
        } while after != nil
        return lines
    }

    /// The states of the lines, by item or thing.
    private func states(_ ledger: Ledger) throws -> [String: String] {
        var states: [String: String] = [:]
        for line in try lines(ledger) {
            let json = try JSONValue.parse(line)
            let name = try json.find("item", as: String.self) ?? json.get("thing", as: String.self)
            states[name] = try json.get("state", as: String.self)
        }
        return states
    }

    @Test func `an item is found by its name, its beacon or its code, and the rest is missing or unexpected`() throws {
        // given four tools
        let ledger = try ledger(items: 4)
        // when three are seen, each in another way, and two things that nobody knows
        try count(
            ledger,
            ["item/i0", "beacon/b:1", "code/c2", "code/unknown", "beacon/b:9"].map { sighting(ledger, $0) })
        // then
        #expect(
            try states(ledger) == [
                "i0": "found", "i1": "found", "i2": "found", "i3": "missing", "code/unknown": "unexpected",
                "beacon/b:9": "unexpected",
            ])
        let stocktake = try ledger.done("stocktake", #"{"stocktake":"s"}"#)
        #expect(try stocktake.get("unresolved", as: Int.self) == 3)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `a stocktake asks for what is unresolved, and its report then stays as it was`() throws {
        let ledger = try ledger(items: 3)
        try count(
            ledger,
            [
                sighting(ledger, "item/i0"), sighting(ledger, "code/x"), sighting(ledger, "item/i1", place: "store/s1"),
                sighting(ledger, "item/i1", after: 60, place: "store/s2"),
            ])
        #expect(try states(ledger)["i1"] == "doubled")
        #expect(try ledger.refusal("finish-stocktake", #"{"stocktake":"s"}"#) == "409 unresolved")
        for (thing, resolution) in [("item/i1", "present"), ("item/i2", "missing"), ("code/x", "ignored")] {
            try ledger.done(
                "resolve-difference", #"{"stocktake":"s","thing":"\#(thing)","as":"\#(resolution)","reason":"ok"}"#)
        }
        let finished = try ledger.done("finish-stocktake", #"{"stocktake":"s"}"#)
        #expect(try finished.get("found", as: Int.self) == 2 && finished.get("missing", as: Int.self) == 1)
        let before = try lines(ledger)

        // when items change, and sightings of a phone without a network arrive late
        try ledger.done("set-item", #"{"item":"i0","inventory":"tools","title":"Another name"}"#)
        try ledger.done("remove-item", #"{"item":"i1","reason":"broken"}"#)
        try count(ledger, [sighting(ledger, "item/i2")])
        // then nothing of the report changes, and the digest is that of its lines
        #expect(try lines(ledger) == before)
        let stocktake = try ledger.done("stocktake", #"{"stocktake":"s"}"#)
        #expect(try stocktake.get("late", as: Int.self) == 1)
        #expect(try stocktake.get("digest", as: String.self) == StocktakeDigest.of(before))
        #expect(
            try ledger.refusal("resolve-difference", #"{"stocktake":"s","thing":"item/i2","as":"present"}"#)
                == "409 finished")
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `what is moved or removed during the count is shown and never undone`() throws {
        let ledger = try ledger(items: 2)
        ledger.clock.advance(bySeconds: 60)
        try ledger.done("remove-item", #"{"item":"i0","reason":"sold"}"#)
        try ledger.done("set-item", #"{"item":"i1","inventory":"tools","title":"Tool 1","place":"store/s1"}"#)
        try ledger.done("set-item", #"{"item":"i7","inventory":"tools","title":"New"}"#)
        #expect(try states(ledger) == ["i0": "removed", "i1": "missing", "i7": "missing"])
        let changed = try lines(ledger).count { $0.contains(#""changed":"#) }
        #expect(changed == 2)
        try ledger.done("finish-stocktake", #"{"stocktake":"s","accept":true}"#)
        let items = try ledger.done("items", #"{"inventory":"tools"}"#).get("items", as: [JSONValue].self)
        #expect(try items.map { try $0.get("item", as: String.self) } == ["i1", "i7"])
        #expect(try items[0].get("place", as: String.self) == "store/s1")
    }

    @Test func `one inventory is counted once at a time, and a beacon belongs to one item`() throws {
        let ledger = try ledger(items: 2)
        let again = #"{"inventory":"tools","stocktake":"t","title":"Again"}"#
        #expect(try ledger.refusal("start-stocktake", again) == "409 open-already")
        let taken = #"{"item":"x","inventory":"tools","title":"X","beacon":"b:1"}"#
        #expect(try ledger.refusal("set-item", taken) == "409 taken")
        for (verb, body, refusal) in [
            ("set-item", #"{"item":"x","inventory":"none","title":"X"}"#, "404 unknown-inventory"),
            ("set-item", #"{"item":"x","inventory":"tools","title":"X","place":"store/none"}"#, "404 unknown-place"),
            ("count-items", #"{"stocktake":"s","sightings":[]}"#, "400 malformed"),
            (
                "count-items", #"{"stocktake":"s","sightings":[\#(sighting(ledger, "thing"))]}"#,
                "422 malformed-sighting"
            ),
            (
                "count-items",
                #"{"stocktake":"s","sightings":[{"thing":"item/i0","at":"2001-01-01T00:00:00Z","how":"typed"}]}"#,
                "422 wrong-clock"
            ),
            ("resolve-difference", #"{"stocktake":"s","thing":"item/no","as":"present"}"#, "404 unknown-thing"),
            ("resolve-difference", #"{"stocktake":"s","thing":"item/i0","as":"ignored"}"#, "422 wrong-resolution"),
        ] { #expect(try ledger.refusal(verb, body) == refusal, "\(verb) \(body)") }
        try ledger.done("finish-stocktake", #"{"stocktake":"s","accept":true}"#)
        try ledger.done("start-stocktake", again)
        // The beacon of a removed item is free again.
        try ledger.done("remove-item", #"{"item":"i1","reason":"broken"}"#)
        try ledger.done("set-item", taken)
    }

    @Test func `an item at several places is found, and a decision ends when its difference does`() throws {
        let ledger = try ledger(items: 3)
        for place in ["store/s1", "store/s2"] { try count(ledger, [sighting(ledger, "item/i0", place: place)]) }
        try ledger.done("resolve-difference", #"{"stocktake":"s","thing":"item/i1","as":"missing"}"#)
        try count(ledger, [sighting(ledger, "item/i1")])
        #expect(try lines(ledger).allSatisfy { !$0.contains("resolved") })
        let finished = try ledger.done("finish-stocktake", #"{"stocktake":"s","accept":true}"#)
        #expect(try finished.get("found", as: Int.self) == 2 && finished.get("missing", as: Int.self) == 1)
    }

    @Test func `a code that contains the separator of keys is not mistaken for another sighting`() throws {
        let ledger = try ledger(items: 1)
        let at = ledger.now.microseconds
        try count(
            ledger,
            [
                sighting(ledger, "code/a", device: "\(at)|person/anna|"),
                sighting(ledger, "code/a|\(at)|person/anna", device: ""),
            ])
        #expect(try states(ledger).count == 3)
    }

    // MARK: Any order

    /// Makes the uploads of five devices, in pieces, of which some sightings overlap.
    private func uploads(_ ledger: Ledger, _ random: inout SplitMix64) -> [[String]] {
        (0..<5).flatMap { device in
            (0..<8).map { _ in
                (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    let item = Int.random(in: 0..<45, using: &random)
                    let thing = ["item/i\(item)", "beacon/b:\(item)", "code/c\(item)"][item % 3]
                    let place = ["store/s1", "store/s2"][Int.random(in: 0...5, using: &random) / 5]
                    return sighting(
                        ledger, thing, after: Double(Int.random(in: 0..<600, using: &random)),
                        device: "device-\(device)", place: place)
                }
            }
        }
    }

    /// Returns the report of a ledger after uploads in this order, by the projection of `S`.
    private func report<S: Service>(_ uploads: [[String]], projectedBy _: S.Type) throws -> [String] {
        let ledger = try ledger(items: 40)
        for upload in uploads { try count(ledger, upload) }
        let tables = try MemoryTables(Folding<S>.schemas)
        for entry in try ledger.core.log.reader().entries(from: 1, through: ledger.core.log.head.position) {
            S.fold(try RecordedEvent(reading: entry.bytes), into: tables)
        }
        let row = try #require(tables.get(StocktakeRow.self, "s"))
        return StocktakeTally(of: row, in: tables).lines.map(\.text)
    }

    /// The number of different reports that interleavings and repetitions of the same uploads lead to.
    private func differentReports<S: Service>(_ seed: UInt64, projectedBy service: S.Type) throws -> Int {
        var random = SplitMix64(seed: seed)
        let uploads = uploads(try ledger(items: 0), &random)
        var reports: Set<[String]> = []
        for _ in 0..<6 {
            let repeated = uploads.filter { _ in Int.random(in: 0...2, using: &random) == 0 }
            reports.insert(try report((uploads + repeated).shuffled(using: &random), projectedBy: service))
        }
        return reports.count
    }

    @Test func `any order and repetition of the uploads of five devices gives the same report to the byte`() throws {
        var checked = 0
        for seed in 1...10 {
            #expect(try differentReports(UInt64(seed), projectedBy: TraceLedger.self) == 1)
            checked += 6
        }
        print("stocktake: \(checked) interleavings of 40 uploads, the same report each time")
    }

    @Test func `a ledger that adds up uploads gives other reports`() throws {
        #expect(try differentReports(1, projectedBy: MutantAddsUploads.self) > 1)
    }
}

/// A mutant whose count is a sum of differences: each upload adds to what is there.
private struct MutantAddsUploads: Service {
    static var name: String { TraceLedger.name }
    static var tables: [TableSchema] { TraceLedger.tables }

    static func fold(_ told: RecordedEvent, into tables: some Tables) {
        guard case .inventory(.itemsCounted(var event)) = told.fact else { return TraceLedger.fold(told, into: tables) }
        for index in event.sightings.indices { event.sightings[index].device? += " \(told.envelope.position)" }
        TraceLedger.fold(RecordedEvent(told.envelope, .inventory(.itemsCounted(event))), into: tables)
    }

    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] { [] }
}

/// The digest as a reader of a report computes it.
private enum StocktakeDigest {
    static func of(_ lines: [String]) -> String {
        Hex.encode(SHA256.hash(Array(lines.map { $0 + "\n" }.joined().utf8)))
    }
}
