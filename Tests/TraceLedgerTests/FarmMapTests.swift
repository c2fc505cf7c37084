import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("The map of a farm")
struct FarmMapTests {
    private let plan = String(repeating: "6d", count: 32)

    private func body(_ pins: String) -> String { #"{"farm":"f1","plan":"\#(plan)","pins":[\#(pins)]}"# }

    private func pin(_ place: String, _ x: Int = 250) -> String {
        #"{"place":"\#(place)","spot":{"x":\#(x),"y":1000}}"#
    }

    @Test func `a map has its places where they were put last, and no others`() throws {
        let ledger = try Ledger.farm()
        #expect(try ledger.done("farm-maps", "{}").get("items", as: [JSONValue].self).isEmpty)
        try ledger.done("set-farm-map", body([pin("store/s1"), pin("plot/p1")].joined(separator: ",")))
        try ledger.done("set-farm-map", body([pin("store/s1", 900), pin("store/s2")].joined(separator: ",")))
        let maps = try ledger.done("farm-maps", "{}").get("items", as: [JSONValue].self)
        #expect(maps.count == 1)
        let map = try #require(maps.first)
        #expect(try map.get("farm", as: String.self) == "f1")
        #expect(try map.get("plan", as: String.self) == plan)
        let pins = try map.get("pins", as: [MapPin].self)
        #expect(
            pins == [
                MapPin(place: .store("s1"), spot: PlanSpot(x: 900, y: 1000)),
                MapPin(place: .store("s2"), spot: PlanSpot(x: 250, y: 1000)),
            ])
    }

    @Test(
        arguments: [
            ("store/attic", "404 unknown-place"), ("store/s1,store/s1", "422 twice"),
            (Array(repeating: "store/s1", count: 501).joined(separator: ","), "400 malformed"),
        ])
    func `a map is refused if its places are unknown, doubled or too many`(places: String, refusal: String) throws {
        let ledger = try Ledger.farm()
        let pins = places.split(separator: ",").map { pin(String($0)) }.joined(separator: ",")
        #expect(try ledger.refusal("set-farm-map", body(pins)) == refusal)
    }

    @Test func `an unknown farm has no map`() throws {
        let ledger = try Ledger.farm()
        let other = body("").replacing("f1", with: "elsewhere")
        #expect(try ledger.refusal("set-farm-map", other) == "404 unknown-farm")
    }
}
