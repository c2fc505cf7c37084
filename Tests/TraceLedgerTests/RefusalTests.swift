import EventSourcing
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Refusals of the ledger")
struct RefusalTests {
    @Test(arguments: [
        ("found-farm", #"{"farm":"f1","title":"Again","zone":"UTC"}"#, "409 known"),
        ("found-farm", #"{"farm":"f 2","title":"X","zone":"UTC"}"#, "400 malformed"),
        ("found-farm", #"{"farm":"f2","title":"","zone":"UTC"}"#, "400 malformed"),
        ("found-farm", #"{"farm":"f2","title":"X"}"#, "400 malformed"),
        ("found-farm", #"{"farm":"f2","title":"X","zone":"Europe/Wien"}"#, "422 unknown-zone"),
        ("found-farm", #"{"farm":"f2","title":"X","zone":"right/Europe/Vienna"}"#, "422 unknown-zone"),
        ("found-farm", #"{"farm":"f2","title":"X","zone":"../../../etc/localtime"}"#, "422 unknown-zone"),
        ("found-farm", #"{"farm":"f2","title":"X","zone":"/etc/localtime"}"#, "422 unknown-zone"),
        ("found-farm", #"{"farm":"f2","title":"X","zone":"tzdata.zi"}"#, "422 unknown-zone"),
        ("lay-out-plot", #"{"farm":"f9","plot":"p9","title":"X"}"#, "404 unknown-farm"),
        ("lay-out-plot", #"{"farm":"f1","plot":"p1","title":"X"}"#, "409 known"),
        ("open-store", #"{"farm":"f1","store":"s1","title":"X"}"#, "409 known"),
        ("record-activity", #"{"plot":"p9","kind":"sowing"}"#, "404 unknown-place"),
        ("record-activity", #"{"plot":"p1","kind":"dancing"}"#, "400 malformed"),
        ("record-activity", #"{"plot":"p1","kind":"sowing","happened":"2126-05-03T00:00:00Z"}"#, "422 in-the-future"),
        ("record-activity", #"{"plot":"p1","kind":"sowing","happened":"yesterday"}"#, "400 malformed"),
        ("record-activity", #"{"plot":"p1","kind":"sowing","waitingDays":-1}"#, "400 malformed"),
        ("record-activity", #"{"plot":"p1","kind":"sowing","waitingDays":1001}"#, "400 malformed"),
        ("record-activity", #"{"plot":"p1","kind":"sowing","amount":-0.5}"#, "400 malformed"),
        ("correct-activity", #"{"activity":"a9","reason":"X"}"#, "404 unknown-activity"),
        ("harvest", #"{"plot":"p9","product":"X","grams":1}"#, "404 unknown-place"),
        ("harvest", #"{"plot":"p1","product":"X","grams":0}"#, "400 malformed"),
        ("harvest", #"{"plot":"p1","product":"X","grams":1.5}"#, "400 malformed"),
        ("harvest", #"{"plot":"p1","product":"X","grams":1,"lot":"A"}"#, "409 known"),
        ("harvest", #"{"plot":"p1","product":"X","grams":1,"lot":"lower"}"#, "400 malformed"),
        ("harvest", #"{"plot":"p1","product":"X","grams":1,"lot":"A234567890123456789012"}"#, "400 malformed"),
        ("harvest", #"{"plot":"p1","product":"X","grams":1,"gtin":"09520123456789"}"#, "400 malformed"),
        ("correct-harvest", #"{"lot":"NONE","grams":1,"reason":"misread"}"#, "404 unknown-lot"),
        ("correct-harvest", #"{"lot":"A","grams":0,"reason":"misread"}"#, "400 malformed"),
        ("correct-harvest", #"{"lot":"A","grams":1}"#, "400 malformed"),
        ("correct-harvest", #"{"lot":"GONE","grams":1,"reason":"misread"}"#, "409 handed-over"),
        ("split-lot", #"{"lot":"NONE","grams":1}"#, "404 unknown-lot"),
        ("split-lot", #"{"lot":"A","grams":1001}"#, "409 too-much"),
        ("split-lot", #"{"lot":"A","grams":0}"#, "400 malformed"),
        ("split-lot", #"{"lot":"A","into":"A","grams":1}"#, "409 known"),
        ("pack-lot", #"{"lot":"A","boxes":2,"gramsEach":501}"#, "409 too-much"),
        ("pack-lot", #"{"lot":"A","boxes":0,"gramsEach":1}"#, "400 malformed"),
        ("pack-lot", #"{"lot":"A","boxes":1001,"gramsEach":1}"#, "400 malformed"),
        ("store-lot", #"{"lot":"A","store":"s9"}"#, "404 unknown-place"),
        ("store-lot", #"{"lot":"NONE","store":"s1"}"#, "404 unknown-lot"),
        ("hand-over-lot", #"{"lot":"GONE","to":"Shop"}"#, "409 handed-over"),
        ("hand-over-lot", #"{"lot":"A","to":" "}"#, "400 malformed"),
        ("print-labels", #"{"lot":"A"}"#, "409 not-packed"),
        ("print-labels", #"{"lot":"NONE"}"#, "404 unknown-lot"),
        ("refresh-passport", #"{"lot":"NONE"}"#, "404 unknown-lot"),
        ("passport-proof", #"{"lot":"A"}"#, "404 no-passport"),
        ("lot", #"{"lot":"NONE"}"#, "404 unknown-lot"),
        ("labels", #"{"lot":"NONE"}"#, "404 unknown-lot"),
        ("readings", #"{"place":"barn","quantity":"temperature"}"#, "400 malformed"),
        ("readings", #"{"place":"store/s1","quantity":"warmth"}"#, "400 malformed"),
        ("tile", #"{"level":0,"index":1,"width":256}"#, "404 no-tile"),
        ("tile", #"{"level":64,"index":0,"width":1}"#, "404 no-tile"),
        ("water-plants", "{}", "404 unknown-verb"),
        ("harvest", "[]", "400 malformed"), ("harvest", "{", "400 malformed"),
    ])
    func `a refusal has status, code and sentence, and no effect`(verb: String, body: String, refusal: String) throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        try ledger.done("harvest", #"{"lot":"GONE","plot":"p1","product":"Carrots","grams":1000}"#)
        try ledger.done("hand-over-lot", #"{"lot":"GONE","to":"Market"}"#)
        #expect(try ledger.refusal(verb, body) == refusal)
    }

    @Test func `a refusal names the member that is wrong`() throws {
        let ledger = try Ledger.farm()
        for (body, member) in [
            (#"{"plot":"p1","product":"X","grams":"much"}"#, "grams"), (#"{"plot":"p1","product":"X"}"#, "grams"),
            (#"{"plot":"p1","product":"X","grams":1,"happened":"soon"}"#, "happened"),
            (#"{"plot":"p1","product":"X","grams":1,"gtin":"123"}"#, "gtin"),
        ] {
            let detail: String = try ledger.ask("harvest", body).json.get("detail")
            #expect(detail.contains(member), "\(detail)")
        }
    }

    @Test func `a refusal is stored under its idempotency key like every response`() throws {
        let ledger = try Ledger.farm()
        let body = #"{"lot":"A","grams":1}"#
        let first = try ledger.ask("split-lot", body, key: "k")
        #expect(first.status == 404)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"X","grams":10}"#)
        #expect(try ledger.ask("split-lot", body, key: "k").status == 404)
        #expect(try ledger.ask("split-lot", body, key: "other").status == 201)
    }

    @Test func `a lot with too many splits before it or too many steps is refused`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"L0","plot":"p1","product":"X","grams":1000000}"#)
        for depth in 0..<LedgerLimits.ancestors {
            try ledger.done("split-lot", #"{"lot":"L\#(depth)","into":"L\#(depth + 1)","grams":\#(1000 - depth)}"#)
        }
        #expect(
            try ledger.refusal("split-lot", #"{"lot":"L\#(LedgerLimits.ancestors)","into":"X","grams":1}"#)
                == "409 too-deep")
        #expect(try ledger.passport("L\(LedgerLimits.ancestors)").items("custody").count == LedgerLimits.ancestors + 1)
        for _ in 1..<LedgerLimits.custodySteps { try ledger.done("store-lot", #"{"lot":"L0","store":"s1"}"#) }
        #expect(try ledger.refusal("store-lot", #"{"lot":"L0","store":"s1"}"#) == "409 too-many-steps")
        // The advice in the refusal must work, and the lot must be able to leave.
        try ledger.done("split-lot", #"{"lot":"L0","into":"REST","grams":1}"#)
        try ledger.done("store-lot", #"{"lot":"REST","store":"s2"}"#)
        try ledger.done("hand-over-lot", #"{"lot":"L0","to":"Market"}"#)
        try ledger.done("recall-lot", #"{"lot":"L0","reason":"Glass"}"#)
        #expect(try ledger.passport("L0").texts("custody", "what").suffix(2) == ["handed-over", "recalled"])
        let all = try ledger.done("lot", #"{"lot":"L0"}"#).texts("custody", "what")
        #expect(all.count == LedgerLimits.custodySteps + 2 && all.suffix(2) == ["handed-over", "recalled"])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `an activity with too many corrections is refused`() throws {
        let ledger = try Ledger.farm()
        let activity: String = try ledger.done("record-activity", #"{"plot":"p1","kind":"weeding"}"#).get("activity")
        let correction = #"{"activity":"\#(activity)","kind":"sowing","reason":"X"}"#
        for _ in 0..<LedgerLimits.corrections { try ledger.done("correct-activity", correction) }
        #expect(try ledger.refusal("correct-activity", correction) == "409 too-many-corrections")
    }
}
