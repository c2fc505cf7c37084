import EventSourcing
import EventStore
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Stories of lots")
struct LotStoryTests {
    private func harvested() throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.done(
            "record-activity", #"{"plot":"p1","kind":"sowing","substance":"Seed","amount":0.4,"unit":"kg"}"#)
        ledger.pass(days: 30)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        return ledger
    }

    @Test func `a story contains farm, product, plot and weight`() throws {
        let ledger = try harvested()
        let harvested = ledger.now
        let story = try ledger.passport("A")
        #expect(try story.get("v", as: Int.self) == 1)
        #expect(try story.get("lot", as: String.self) == "A")
        #expect(try story.get("product", as: String.self) == "Carrots")
        #expect(try story.get("grams", as: Int.self) == 1000)
        #expect(try story.get("harvested", as: Instant.self) == harvested)
        let farm = try #require(story["farm"])
        #expect(try farm.get("title", as: String.self) == "Sunny Hill")
        #expect(try farm.get("zone", as: String.self) == "Europe/Vienna")
        #expect(try story["plot"]?.get("areaSquareMetres", as: Double.self) == 1200)
        #expect(story["omitted"] == nil)
    }

    @Test func `a story shows a corrected activity as recorded and as corrected, with the reason`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#)
        ledger.pass(days: 10)
        let activity: String = try ledger.done(
            "record-activity", #"{"plot":"p1","kind":"fertilising","substance":"Compost","amount":300,"unit":"kg"}"#
        ).get("activity")
        let recorded = ledger.now
        ledger.pass(days: 10)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        ledger.pass(days: 1)
        try ledger.done("correct-activity", #"{"activity":"\#(activity)","amount":30,"reason":"One nought too many"}"#)
        let corrected = ledger.now
        let item = try #require(try ledger.passport("A").items("activities").last)
        #expect(try item.get("kind", as: String.self) == "fertilising")
        #expect(try item["details"]?.get("amount", as: Double.self) == 300)
        #expect(try item.get("recorded", as: Instant.self) == recorded)
        let right = try #require(item["correctedTo"])
        #expect(try right["details"]?.get("amount", as: Double.self) == 30)
        #expect(try right["details"]?.get("substance", as: String.self) == "Compost")
        #expect(try right.get("reason", as: String.self) == "One nought too many")
        #expect(try right.get("recorded", as: Instant.self) >= corrected)
        #expect(try right.get("happened", as: Instant.self) == recorded)
    }

    @Test func `a story contains only activities from the last sowing to the harvest`() throws {
        let ledger = try Ledger.farm()
        func record(_ kind: String) throws -> String {
            let activity: String = try ledger.done("record-activity", #"{"plot":"p1","kind":"\#(kind)"}"#).get(
                "activity")
            ledger.pass(days: 1)
            return activity
        }
        _ = try record("weeding")
        _ = try record("sowing")
        _ = try record("irrigating")
        try ledger.done("record-activity", #"{"plot":"p2","kind":"fertilising"}"#)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        ledger.pass(days: 1)
        _ = try record("fertilising")
        #expect(try ledger.passport("A").texts("activities", "kind") == ["sowing", "irrigating"])
    }

    @Test func `a story hides no correction, even of an activity moved out of its season`() throws {
        let ledger = try Ledger.farm()
        let sowing: String = try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#).get("activity")
        let sown = ledger.now
        ledger.pass(days: 10)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        let earlier = sown.advanced(bySeconds: -86_400)
        try ledger.done("correct-activity", #"{"activity":"\#(sowing)","happened":"\#(earlier)","reason":"wrong day"}"#)
        let item = try #require(try ledger.passport("A").items("activities").first)
        #expect(try item.get("happened", as: Instant.self) == sown)
        #expect(try item["correctedTo"]?.get("happened", as: Instant.self) == earlier)
    }

    @Test func `a story shows the readings of the plot until the harvest and of the store afterwards`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("plot/p1")
        try ledger.measure(5, at: ledger.at(days: -1))
        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#)
        ledger.pass(days: 1)
        try ledger.measure(12)
        try ledger.measure(15)
        ledger.pass(days: 1)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1}"#)
        ledger.pass(days: 1)
        // The plot's temperature after the harvest is no part of the story.
        try ledger.measure(40)
        try ledger.bind("store/s1")
        try ledger.measure(20)
        ledger.pass(days: 1)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        ledger.pass(days: 1)
        try ledger.measure(4)
        ledger.pass(days: 1)
        try ledger.done("store-lot", #"{"lot":"A","store":"s2"}"#)
        ledger.pass(days: 1)
        try ledger.measure(30)

        let lines = try ledger.passport("A").items("readings")
        #expect(try lines.map { try $0.get("place", as: String.self) } == ["North field", "Cold store"])
        #expect(try lines.map { try $0.get("role", as: String.self) } == ["field", "store"])
        #expect(try lines.map { try $0.get("quantity", as: String.self) } == ["temperature", "temperature"])
        #expect(try lines.map { try $0.get("unit", as: String.self) } == ["Cel", "Cel"])
        #expect(try lines.map { try $0.get("min", as: Double.self) } == [12, 4])
        #expect(try lines.map { try $0.get("mean", as: Double.self) } == [13.5, 4])
        #expect(try lines.map { try $0.get("max", as: Double.self) } == [15, 4])
        let hours = try #require(lines.first?.items("hours").first)
        let numbers = try (hours.array.map { Array($0) } ?? []).map { try $0.double() }
        #expect(numbers.dropFirst() == [12, 13.5, 15])
    }

    @Test func `a story has the steps in the order they happened, however they were recorded`() throws {
        let ledger = try harvested()
        let harvest = ledger.now
        ledger.pass(days: 5)
        func time(_ days: Double) -> Instant { harvest.advanced(bySeconds: days * 86_400) }
        try ledger.done("store-lot", #"{"lot":"A","store":"s2","happened":"\#(time(3))"}"#)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1","happened":"\#(time(1))"}"#)
        try ledger.done("hand-over-lot", #"{"lot":"A","to":"Market hall","document":"DN-17","happened":"\#(time(4))"}"#)
        let story = try ledger.passport("A")
        #expect(try story.texts("custody", "what") == ["harvested", "stored", "stored", "handed-over"])
        #expect(
            try story.items("custody").compactMap { try $0.find("place", as: String.self) } == [
                "North field", "Cold store", "Barn",
            ])
        let history = LotHistory(of: try #require(ledger.core.tables.get(LotRow.self, "A")), from: ledger.core.tables)
        #expect(history.stays.map(\.to) == [harvest, time(3), time(4)])
        #expect(history.stays.map(\.from).dropFirst() == [time(1), time(3)])
    }

    @Test func `the place of a lot follows from the step that happened last`() throws {
        let ledger = try harvested()
        ledger.pass(days: 5)
        try ledger.done("store-lot", #"{"lot":"A","store":"s2"}"#)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1","happened":"\#(ledger.at(days: -1))"}"#)
        #expect(try ledger.done("lot", #"{"lot":"A"}"#).get("place", as: String.self) == "store/s2")
    }

    @Test func `the story of a split lot begins with its ancestors' steps up to the split`() throws {
        let ledger = try harvested()
        ledger.pass(days: 1)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        ledger.pass(days: 1)
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":400}"#)
        ledger.pass(days: 1)
        try ledger.done("store-lot", #"{"lot":"A","store":"s2"}"#)
        try ledger.done("split-lot", #"{"lot":"B","into":"C","grams":100}"#)
        try ledger.done("pack-lot", #"{"lot":"C","boxes":2,"gramsEach":50}"#)
        try ledger.done("hand-over-lot", #"{"lot":"B","to":"Elsewhere"}"#)

        let story = try ledger.passport("C")
        #expect(try story.texts("custody", "what") == ["harvested", "stored", "split", "split", "packed"])
        #expect(try story.get("parent", as: String.self) == "B")
        #expect(try story.get("grams", as: Int.self) == 100)
        #expect(try story.texts("activities", "kind") == ["sowing"])
        let history = LotHistory(of: try #require(ledger.core.tables.get(LotRow.self, "C")), from: ledger.core.tables)
        #expect(history.stays.map(\.place.description) == ["plot/p1", "store/s1"])
        #expect(history.stays.last?.to == nil)
        let parent = try ledger.passport("A")
        #expect(try parent.items("children").map { try $0.string() } == ["B"])
        #expect(try parent.texts("custody", "what") == ["harvested", "stored", "stored"])
    }

    @Test func `a story counts every lot that was split off`() throws {
        let ledger = try harvested()
        let parent = try #require(ledger.core.tables.get(LotRow.self, "A"))
        let harvest = try #require(parent.state.harvest)
        let count = 10_000
        for number in 0..<count {
            var child = LotRow(LotID("A-\(number)"), farm: parent.farm, state: parent.state)
            child.state.parent = LotID("A")
            child.state.harvest = Harvested(
                lot: LotID(child.key), gtin: harvest.gtin, product: harvest.product, plot: harvest.plot,
                grams: harvest.grams, from: harvest.from)
            ledger.core.tables.put(child)
        }
        let story = try ledger.passport("A")
        let told = story.items("children").count
        let omitted = try #require(story["omitted"]).get("children", as: Int.self)
        #expect(told + omitted == count && told >= 100)
        #expect(try ledger.done("lot", #"{"lot":"A"}"#).items("children").count == count)
        print("story: \(told) lots that were split off told, \(omitted) counted")
    }

    @Test func `the story of a split lot has no later steps of its parent, even if they are dated back`() throws {
        let ledger = try harvested()
        let harvest = ledger.now
        ledger.pass(days: 5)
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":400}"#)
        let back = harvest.advanced(bySeconds: 86_400)
        try ledger.done("hand-over-lot", #"{"lot":"A","to":"Market","happened":"\#(back)"}"#)
        #expect(try ledger.passport("B").texts("custody", "what") == ["harvested", "split"])
    }

    @Test func `a story contains alarms of the store only while the lot was there`() throws {
        let ledger = try harvested()
        func raise(_ value: Double, _ store: String = "s1") throws {
            let place = try #require(Place("store/\(store)"))
            try ledger.hear(
                AlarmRaised(
                    rule: RuleID("warm-\(store)"), point: PointID("m1"), place: place, device: Ledger.device,
                    quantity: .temperature,
                    value: value, limit: 8))
        }
        func clear(_ value: Double, _ store: String = "s1") throws {
            let place = try #require(Place("store/\(store)"))
            try ledger.hear(
                AlarmCleared(
                    rule: RuleID("warm-\(store)"), point: PointID("m1"), place: place, device: Ledger.device,
                    quantity: .temperature,
                    value: value))
        }
        try raise(9)
        ledger.pass(days: 0.1)
        try clear(7)
        ledger.pass(days: 1)
        // Already open when the lot arrives.
        try raise(10)
        ledger.pass(days: 1)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        #expect(try ledger.done("lot", #"{"lot":"A"}"#).get("alarm", as: Bool.self))
        ledger.pass(days: 1)
        try clear(6)
        ledger.pass(days: 1)
        try raise(11)
        ledger.pass(days: 1)
        try clear(5)
        try raise(50, "s2")
        ledger.pass(days: 1)
        try ledger.done("hand-over-lot", #"{"lot":"A","to":"Market"}"#)
        ledger.pass(days: 1)
        try raise(12)
        let alarms = try ledger.passport("A").items("alarms")
        #expect(try alarms.map { try $0.get("value", as: Double.self) } == [10, 11])
        #expect(try alarms.map { try $0.get("place", as: String.self) } == ["Cold store", "Cold store"])
        #expect(alarms.allSatisfy { $0["cleared"] != nil })
        try ledger.done("harvest", #"{"lot":"Z","plot":"p1","product":"Carrots","grams":1}"#)
        #expect(try ledger.done("lot", #"{"lot":"Z"}"#).get("alarm", as: Bool.self) == false)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    /// Returns a lot that was stored on the second day, and an alarm of the store on the third.
    private func warm() throws -> (ledger: Ledger, harvest: Instant) {
        let ledger = try harvested()
        let harvest = ledger.now
        ledger.pass(days: 2)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        ledger.pass(days: 1)
        try ledger.bind("store/s1")
        try ledger.measure(11)
        try ledger.hear(
            AlarmRaised(
                rule: RuleID("warm"), point: PointID("m1"), place: .store(StoreID("s1")), device: Ledger.device,
                quantity: .temperature, value: 11, limit: 8))
        ledger.pass(days: 1)
        return (ledger, harvest)
    }

    private func expectTheAlarm(_ ledger: Ledger, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let story = try ledger.passport("A")
        let values = try story.items("alarms").map { try $0.get("value", as: Double.self) }
        #expect(values == [11], sourceLocation: sourceLocation)
        #expect(try story.texts("readings", "place") == ["Cold store"], sourceLocation: sourceLocation)
        #expect(try ledger.done("lot", #"{"lot":"A"}"#).get("alarm", as: Bool.self), sourceLocation: sourceLocation)
    }

    @Test func `a hand-over dated before the lot's arrival is refused, so that the story has all alarms`() throws {
        let (ledger, harvest) = try warm()
        func handOver(days: Double) -> String {
            #"{"lot":"A","to":"Market","happened":"\#(harvest.advanced(bySeconds: days * 86_400))"}"#
        }
        #expect(try ledger.refusal("hand-over-lot", handOver(days: 1)) == "422 too-early")
        let detail: String = try ledger.ask("hand-over-lot", handOver(days: -365)).json.get("detail")
        #expect(detail.hasPrefix("happened: ") && detail.contains("\(harvest.advanced(bySeconds: 2 * 86_400))"))
        try expectTheAlarm(ledger)
        try ledger.done("hand-over-lot", handOver(days: 3.5))
        try expectTheAlarm(ledger)
    }

    @Test func `an old log's hand-over dated before the lot's arrival removes no alarm from the story`() throws {
        let (ledger, harvest) = try warm()
        let last = try ledger.core.log.reader().entries(from: 1, through: ledger.core.log.head.position)
            .map { try RecordedEvent(reading: $0.bytes) }.last { $0.envelope.stream == "lot/A" }
        var envelope = try #require(last).envelope
        (envelope.time, envelope.recorded) = (harvest.advanced(bySeconds: 86_400), ledger.now)
        TraceLedger.fold(
            RecordedEvent(envelope, .trace(.handedOver(HandedOver(lot: LotID("A"), to: "Market")))),
            into: ledger.core.tables)
        try expectTheAlarm(ledger)
        let history = LotHistory(of: try #require(ledger.core.tables.get(LotRow.self, "A")), from: ledger.core.tables)
        #expect(history.stays.last?.to == envelope.recorded)
    }

    @Test func `a story has an alarm once, however often the lot was stored there during it`() throws {
        let (ledger, _) = try warm()
        for store in ["s1", "s2", "s1"] {
            try ledger.done("store-lot", #"{"lot":"A","store":"\#(store)"}"#)
            ledger.pass(days: 1)
        }
        let story = try ledger.passport("A")
        #expect(try story.texts("custody", "what") == ["harvested", "stored", "stored", "stored", "stored"])
        #expect(try story.items("alarms").map { try $0.get("value", as: Double.self) } == [11])
    }

    @Test func `a step before the harvest is refused, unless it is in the same minute`() throws {
        let ledger = try harvested()
        let harvest = ledger.now
        ledger.pass(days: 1)
        for (seconds, refusal) in [(-365 * 86_400.0, "422 too-early"), (-60, "422 too-early"), (-59, nil), (3, nil)] {
            let happened = harvest.advanced(bySeconds: seconds)
            let storing = #"{"lot":"A","store":"s1","happened":"\#(happened)"}"#
            if let refusal {
                #expect(try ledger.refusal("store-lot", storing) == refusal)
                let handingOver = #"{"lot":"A","to":"Market","happened":"\#(happened)"}"#
                #expect(try ledger.refusal("hand-over-lot", handingOver) == refusal)
            } else {
                try ledger.done("store-lot", storing)
            }
        }
        let history = LotHistory(of: try #require(ledger.core.tables.get(LotRow.self, "A")), from: ledger.core.tables)
        #expect(history.steps.map(\.step) == [.harvested, .stored, .stored])
        #expect(history.steps.map { $0.at.seconds(since: harvest) } == [0, 0, 3])
    }

    @Test func `a story has the alarms of a lot's stay, however many there were before`() throws {
        let ledger = try harvested()
        let place = Place.store(StoreID("s1"))
        func past(_ minute: Int) -> LedgerAlarmRow {
            let raised = ledger.at(days: -10).advanced(bySeconds: Double(minute) * 60)
            return LedgerAlarmRow(
                AlarmRaised(
                    rule: RuleID("warm"), point: PointID("m1"), place: place, device: Ledger.device,
                    quantity: .temperature, value: 9, limit: 8), at: raised, kind: nil
            ).cleared(at: raised.advanced(bySeconds: 30))
        }
        for minute in 0..<5100 { ledger.core.tables.put(past(minute)) }
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        #expect(try ledger.done("lot", #"{"lot":"A"}"#).get("alarm", as: Bool.self) == false)
        ledger.pass(days: 1)
        try ledger.hear(
            AlarmRaised(
                rule: RuleID("warm"), point: PointID("m1"), place: place, device: Ledger.device,
                quantity: .temperature, value: 11, limit: 8))
        #expect(try ledger.passport("A").items("alarms").map { try $0.get("value", as: Double.self) } == [11])
        #expect(try ledger.done("lot", #"{"lot":"A"}"#).get("alarm", as: Bool.self))
        // A lot that was there all the time has all of them.
        let all = LedgerAlarmRow.overlapping(place, from: ledger.at(days: -20), to: ledger.now, in: ledger.core.tables)
        #expect(all.count == 5101)
    }

    @Test func `a rebuild gives the same rows of lots`() throws {
        let ledger = try harvested()
        try ledger.bind("store/s1")
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        for _ in 0..<20 {
            ledger.pass(days: 0.2)
            try ledger.measure(4.25)
        }
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":400}"#)
        try ledger.done("pack-lot", #"{"lot":"B","boxes":3,"gramsEach":100}"#)
        try ledger.done("print-labels", #"{"lot":"B"}"#)
        _ = try ledger.passport("B")
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
        #expect(live.filter { $0.rows > 0 }.count >= 12)
    }
}
