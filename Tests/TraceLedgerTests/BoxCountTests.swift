import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Stocktakes of boxes")
struct BoxCountTests {
    /// Returns a ledger with two packed lots in a cold store, and an inventory of the boxes there.
    private func ledger() throws -> Ledger {
        let ledger = try Ledger.farm()
        for (lot, boxes) in [("TOM-1", 3), ("TOM-2", 2)] {
            try ledger.done("harvest", #"{"lot":"\#(lot)","plot":"p1","product":"Tomatoes","grams":1000000}"#)
            try ledger.done("pack-lot", #"{"lot":"\#(lot)","boxes":\#(boxes),"gramsEach":500}"#)
            try ledger.done("store-lot", #"{"lot":"\#(lot)","store":"s1"}"#)
        }
        try ledger.done("set-inventory", #"{"inventory":"b","title":"Boxes","place":"store/s1","boxes":true}"#)
        return ledger
    }

    private func items(_ ledger: Ledger) throws -> [(item: String, code: String)] {
        try ledger.done("items", #"{"inventory":"b"}"#).get("items", as: [JSONValue].self).map {
            (try $0.get("item"), try $0.get("code"))
        }
    }

    private func count(_ ledger: Ledger, _ codes: [String]) throws {
        let sightings = codes.map { #"{"thing":"code/\#($0)","at":"\#(ledger.now)","how":"camera"}"# }
        try ledger.done("count-items", #"{"stocktake":"s","sightings":[\#(sightings.joined(separator: ","))]}"#)
    }

    /// The states of the lines, by lot.
    private func states(_ ledger: Ledger) throws -> [String: [String: Int]] {
        var states: [String: [String: Int]] = [:]
        for line in try ledger.done("stocktake-lines", #"{"stocktake":"s"}"#).get("items", as: [String].self) {
            let json = try JSONValue.parse(line)
            let name = try json.find("item", as: String.self) ?? json.get("thing", as: String.self)
            states[String(name.prefix { $0 != "/" }), default: [:]][try json.get("state"), default: 0] += 1
        }
        return states
    }

    @Test func `the boxes of the lots at a place are counted by their serial numbers`() throws {
        let ledger = try ledger()
        let boxes = try items(ledger)
        #expect(boxes.map { $0.item.prefix(6) } == ["TOM-1/", "TOM-1/", "TOM-1/", "TOM-2/", "TOM-2/"])
        let listed = try ledger.done("inventories").get("items", as: [JSONValue].self)[0]
        let (number, isOfBoxes) = (try listed.get("items", as: Int.self), try listed.get("boxes", as: Bool.self))
        #expect(number == 5 && isOfBoxes)
        try ledger.done("start-stocktake", #"{"inventory":"b","stocktake":"s","title":"Autumn"}"#)
        try count(ledger, [boxes[0].code, boxes[1].code, boxes[0].code, boxes[3].code, "UNKNOWN"])
        #expect(
            try states(ledger) == [
                "TOM-1": ["found": 2, "missing": 1], "TOM-2": ["found": 1, "missing": 1], "code": ["unexpected": 1],
            ])
        let finished = try ledger.done("finish-stocktake", #"{"stocktake":"s","accept":true}"#)
        let found = try finished.get("found", as: Int.self)
        #expect(found == 3)
        let (fresh, live) = try ledger.rebuilt()
        #expect(fresh == live)
    }

    @Test func `a lot that leaves or arrives during the count is shown, and is not missing`() throws {
        let ledger = try ledger()
        let boxes = try items(ledger)
        try ledger.done("start-stocktake", #"{"inventory":"b","stocktake":"s","title":"Autumn"}"#)
        try count(ledger, [boxes[0].code])
        ledger.clock.advance(bySeconds: 60)
        try ledger.done("hand-over-lot", #"{"lot":"TOM-1","to":"Market hall"}"#)
        try ledger.done("harvest", #"{"lot":"TOM-3","plot":"p1","product":"Tomatoes","grams":100000}"#)
        try ledger.done("pack-lot", #"{"lot":"TOM-3","boxes":1,"gramsEach":500}"#)
        try ledger.done("store-lot", #"{"lot":"TOM-3","store":"s1"}"#)
        #expect(
            try states(ledger) == ["TOM-1": ["removed": 3], "TOM-2": ["missing": 2], "TOM-3": ["missing": 1]])
        let lines = try ledger.done("stocktake-lines", #"{"stocktake":"s"}"#).get("items", as: [String].self)
        let changed = lines.count { $0.contains("TOM-3") && $0.contains(#""changed":"#) }
        #expect(changed == 1)
        // A lot that comes back is there again.
        try ledger.done("store-lot", #"{"lot":"TOM-2","store":"s2"}"#)
        #expect(try states(ledger)["TOM-2"] == ["removed": 2])
        ledger.clock.advance(bySeconds: 60)
        try ledger.done("store-lot", #"{"lot":"TOM-2","store":"s1"}"#)
        #expect(try states(ledger)["TOM-2"] == ["missing": 2])
        let (fresh, live) = try ledger.rebuilt()
        #expect(fresh == live)
    }

    @Test func `an inventory of boxes needs a place, takes no items, and stays one during a stocktake`() throws {
        let ledger = try ledger()
        #expect(
            try ledger.refusal("set-inventory", #"{"inventory":"x","title":"X","boxes":true}"#) == "422 no-place")
        #expect(
            try ledger.refusal("set-item", #"{"item":"i","inventory":"b","title":"Saw"}"#) == "409 of-boxes")
        try ledger.done("start-stocktake", #"{"inventory":"b","stocktake":"s","title":"Autumn"}"#)
        #expect(try ledger.refusal("set-inventory", #"{"inventory":"b","title":"B"}"#) == "409 in-use")
        try ledger.done("finish-stocktake", #"{"stocktake":"s","accept":true}"#)
        try ledger.done("set-inventory", #"{"inventory":"b","title":"B"}"#)
        try ledger.done("set-item", #"{"item":"i","inventory":"b","title":"Saw"}"#)
        #expect(
            try ledger.refusal("set-inventory", #"{"inventory":"b","title":"B","place":"store/s1","boxes":true}"#)
                == "409 in-use")
    }
}
