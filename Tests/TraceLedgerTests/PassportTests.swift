import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Passports of lots")
struct PassportTests {
    private func stored() throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        try ledger.done("store-lot", #"{"lot":"A","store":"s1"}"#)
        try ledger.bind("store/s1")
        try ledger.measure(4)
        return ledger
    }

    private func refresh(_ ledger: Ledger) throws -> (status: Int, event: UUID) {
        let (status, json) = try ledger.ask("refresh-passport", #"{"lot":"A"}"#)
        return (status, try json.get("event"))
    }

    @Test func `no passport is issued if nothing changed`() throws {
        let ledger = try stored()
        let first = try refresh(ledger)
        #expect(first.status == 201)
        for days in [0.01, 1, 30, 300] {
            ledger.pass(days: days)
            let again = try refresh(ledger)
            #expect(again.status == 200)
            #expect(again.event == first.event)
        }
        #expect(try ledger.passports().count == 1)
    }

    @Test func `a passport is issued when something changed, but not at once`() throws {
        let ledger = try stored()
        let first = try refresh(ledger).event
        try ledger.measure(5)
        #expect(try refresh(ledger).event == first)
        ledger.clock.advance(bySeconds: LedgerLimits.passportSeconds + 1)
        let second = try refresh(ledger)
        #expect(second.status == 201)
        #expect(second.event != first)
        // The passport was compared a moment ago, so a change is found at the next comparison.
        ledger.clock.advance(bySeconds: LedgerLimits.passportSeconds + 1)
        #expect(try refresh(ledger).event == second.event)
        try ledger.done("pack-lot", #"{"lot":"A","boxes":1,"gramsEach":1}"#)
        ledger.clock.advance(bySeconds: 1)
        #expect(try refresh(ledger).event == second.event)
        ledger.clock.advance(bySeconds: LedgerLimits.passportSeconds)
        #expect(try refresh(ledger).status == 201)
        #expect(try ledger.passports().count == 3)
    }

    @Test func `a passport is issued once an hour, however often a box is scanned while sensors report`() throws {
        let ledger = try stored()
        _ = try refresh(ledger)
        let hours = 6
        var scans = 0
        // From the start of an hour on.
        ledger.clock.set(to: Instant(hours: ledger.now.hours + 1))
        for minute in 0..<hours * 60 {
            try ledger.measure(4 + Double(minute) / 100)
            for _ in 0..<2 {
                ledger.clock.advance(bySeconds: 30)
                _ = try refresh(ledger)
                scans += 1
            }
        }
        // One more for the hour before, which had begun.
        let issued = try ledger.passports()
        print("passports: \(issued.count) issued for \(scans) scans in \(hours) hours of reports")
        #expect(scans == 720 && (hours...hours + 1).contains(issued.count))
        // Nothing is lost: every completed hour is included.
        let story = try ledger.passport("A")
        let line = try #require(story.items("readings").first)
        #expect(try line.get("max", as: Double.self) == 4 + Double(hours * 60 - 1) / 100)
        // Of a lot that arrives now, the current hour is included.
        try ledger.done("split-lot", #"{"lot":"A","into":"B","grams":1}"#)
        try ledger.done("store-lot", #"{"lot":"B","store":"s2"}"#)
        try ledger.bind("store/s2")
        try ledger.measure(11)
        #expect(try ledger.passport("B").items("readings").last?.get("max", as: Double.self) == 11)
    }

    @Test func `a passport is issued at once when its lot was recalled, and then not for every scan`() throws {
        let ledger = try stored()
        let first = try refresh(ledger).event
        try ledger.done("recall-lot", #"{"lot":"A","reason":"Glass"}"#)
        let second = try refresh(ledger)
        #expect(second.status == 201 && second.event != first)
        try ledger.measure(5)
        #expect(try refresh(ledger).event == second.event)
        #expect(try ledger.passports().count == 2)
    }

    @Test func `a passport contains the hub's position`() throws {
        let ledger = try stored()
        let before = ledger.archive.hubPosition
        _ = try refresh(ledger)
        #expect(try ledger.passports().first?.event.hubPosition == before)
    }

    /// Records two years of hours of four quantities at a place. Returns their number.
    private func fill(_ place: String, _ device: String, from start: Instant, in ledger: Ledger) throws -> Int {
        let device = DeviceID(device)
        try ledger.bind(place, device: device, point: device.rawValue.replacing(":", with: ""))
        let hours = 2 * 365 * 24
        let envelope = Envelope(
            id: UUID(bytes: []), origin: Origin(service: "sensor-ingest", site: "farm", slot: 0), epoch: Epoch(1),
            position: 1, name: Measured.name, stream: "device/\(device)", version: 1, time: start, recorded: start,
            farm: nil, actor: .node(device), correlation: nil, causation: nil)
        for hour in 0..<hours {
            let wave = Double(hour % 24) / 7 + Double(hour % 1000) / 90
            let event = Measured(
                device: device, format: "test",
                readings: [
                    Reading(.temperature, -10.123 - wave), Reading(.humidity, 61.237 + wave),
                    Reading(.illuminance, 12_345.678 + wave), Reading(.soilMoisture, 33.333 + wave),
                ], source: "test", repeats: 5, payload: "")
            var envelope = envelope
            envelope.time = start.advanced(bySeconds: Double(hour) * 3600)
            TraceLedger.fold(RecordedEvent(envelope, .sensors(.measured(event))), into: ledger.core.tables)
        }
        return hours * 4
    }

    @Test func `a passport with two years of hours at each of four places fits an event`() throws {
        let ledger = try Ledger.farm()
        var filled = 0
        try ledger.done("open-store", #"{"farm":"f1","store":"s3","title":"Cellar"}"#)
        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#)
        filled += try fill("plot/p1", "ble:000000000001", from: ledger.now, in: ledger)
        ledger.pass(days: 730)
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        for store in 1...3 {
            try ledger.done("store-lot", #"{"lot":"A","store":"s\#(store)"}"#)
            filled += try fill("store/s\(store)", "ble:00000000001\(store)", from: ledger.now, in: ledger)
            ledger.pass(days: 730)
        }
        let story = try ledger.passport("A")
        let bytes = try #require(try ledger.passports().last?.bytes)
        print("passports: \(filled) hourly values of four places became an event of \(bytes.count) bytes")
        #expect(filled == 4 * 4 * 17_520)
        #expect(bytes.count < EventLimits.eventBytes)
        #expect(bytes.count > 15_000)
        let lines = story.items("readings")
        #expect(lines.count == 16)
        #expect(lines.allSatisfy { (40...62).contains($0.items("hours").count) })
        let temperature = try #require(lines.first)
        #expect(try temperature.get("max", as: Double.self) == -10.12)
        #expect(try temperature.get("min", as: Double.self) == -24.51)
    }

    @Test func `a passport of a lot with a story too long for an event counts what is omitted`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("record-activity", #"{"plot":"p1","kind":"sowing"}"#)
        // A quotation mark takes two bytes in JSON.
        let long = String(repeating: #"\""#, count: 200)
        let reason = String(repeating: #"\""#, count: 500)
        for _ in 0..<100 {
            ledger.pass(days: 0.1)
            let activity: String = try ledger.done(
                "record-activity", #"{"plot":"p1","kind":"weeding","substance":"\#(long)"}"#
            ).get("activity")
            try ledger.done("correct-activity", #"{"activity":"\#(activity)","reason":"\#(reason)"}"#)
        }
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        for step in 0..<300 {
            ledger.pass(days: 0.01)
            try ledger.done("store-lot", #"{"lot":"A","store":"s\#(1 + step % 2)"}"#)
        }
        let story = try ledger.passport("A")
        let bytes = try #require(try ledger.passports().last?.bytes)
        print("passports: 101 long activities and 301 steps became an event of \(bytes.count) bytes")
        #expect(bytes.count < EventLimits.eventBytes)
        let told = story.items("activities").count
        #expect(told >= 10)
        #expect(try story["omitted"]?.get("activities", as: Int.self) == 101 - told)
        let steps = story.items("custody")
        #expect(try story["omitted"]?.get("custody", as: Int.self) == 301 - steps.count)
        // The newest steps are included.
        #expect(try steps.last?.get("at", as: Instant.self) ?? ledger.now <= ledger.now)
    }

    @Test func `a passport is proven by the hub, or a retry is requested`() throws {
        let ledger = try stored()
        #expect(try ledger.refusal("passport-proof", #"{"lot":"A"}"#) == "404 no-passport")
        let event = try refresh(ledger).event
        ledger.archive.isSigned = false
        #expect(try ledger.refusal("passport-proof", #"{"lot":"A"}"#) == "503 not-yet")
        ledger.archive.isSigned = true
        let proof = try ledger.done("passport-proof", #"{"lot":"A","since":"1"}"#)
        let bytes = try #require(BaseEncoding.base64.decode(try proof.get("bytes")))
        #expect(try RecordedEvent(reading: bytes).envelope.id == event)
        #expect(try proof.get("hub", as: String.self) == "furrow/farm")
        #expect(proof["consistency"]?.array != nil)
        #expect(try ledger.done("passport-proof", #"{"lot":"A"}"#)["consistency"] == nil)
        // A blocked stream is reported as of now; the story was issued before.
        #expect(proof["waiting"] == nil)
        try ledger.receiveUndecodable()
        #expect(try ledger.done("passport-proof", #"{"lot":"A"}"#).get("waiting", as: Bool.self))
    }
}
