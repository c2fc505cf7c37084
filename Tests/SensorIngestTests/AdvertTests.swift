import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@Suite("Batches of advertisements")
struct AdvertTests {
    /// Ruuvi's own example of data format 5, of the tag cb:b8:33:4c:88:4f, with another sequence number.
    private func ruuvi(sequence: UInt16) -> String {
        "0201061bff99040512fc5394c37c0004fffc040cac364200" + Hex.encode([UInt8(sequence & 0xFF)]) + "cbb8334c884f"
    }

    private func advert(_ hex: String, at: String? = nil) -> String {
        let time = at.map { ",\"at\":\"\($0)\"" } ?? ""
        return "{\"address\":\"cb:b8:33:4c:88:4f\",\"hex\":\"\(hex)\",\"rssi\":-70\(time)}"
    }

    private func batch(_ adverts: [String], source: String = "gateway/barn") -> String {
        "{\"source\":\"\(source)\",\"adverts\":[\(adverts.joined(separator: ","))]}"
    }

    @Test func `a batch of advertisements becomes measurements with source and signal strength`() throws {
        let bench = try Bench()
        let answer = try bench.ask("ingest-adverts", batch([advert(ruuvi(sequence: 205))]))
        #expect(answer.status == 200)
        let event = try #require(try bench.measured().first)
        #expect(event.device == DeviceID("ble:cbb8334c884f"))
        #expect(event.source == "gateway/barn")
        #expect(event.rssi == -70)
        // The vendor's own example: 24.3 °C, 53.49 %, 1000.44 hPa, 2.977 V, sequence 205.
        #expect(event.counter == 205)
        for reading in [
            Events.Reading(.temperature, 24.3), Events.Reading(.humidity, 53.49), Events.Reading(.pressure, 1000.44),
            Events.Reading(.voltage, 2.977),
        ] {
            let value = try #require(event.readings.first { $0.quantity == reading.quantity }?.value)
            #expect(abs(value - reading.value) < 1e-9)
        }
        #expect(
            try answer.json["accepted"]?.array?.first { _ in true }?.get("device", as: String.self)
                == "ble:cbb8334c884f")
    }

    @Test func `a report is recorded once, within a batch and across batches`() throws {
        let bench = try Bench()
        let twice = batch([advert(ruuvi(sequence: 1)), advert(ruuvi(sequence: 1)), advert(ruuvi(sequence: 2))])
        let first = try bench.ask("ingest-adverts", twice)
        #expect(try first.json.get("measurements", as: Int.self) == 2)
        #expect(try first.json.get("known", as: Int.self) == 1)
        try bench.wait(seconds: 60)
        let second = try bench.ask(
            "ingest-adverts", batch([advert(ruuvi(sequence: 2)), advert(ruuvi(sequence: 3))], source: "phone"))
        #expect(try second.json.get("measurements", as: Int.self) == 1)
        #expect(try bench.measured().map(\.counter) == [1, 2, 3])
    }

    @Test func `a report with a packet id counts as a copy while copies keep arriving, batch after batch`() throws {
        let bench = try Bench()
        // BTHome 2, packet id 10, 25.06 °C.
        let packet = "0916d2fc40000a02ca09"
        for _ in 0..<5 {
            _ = try bench.ask("ingest-adverts", batch([advert(packet)]))
            try bench.wait(seconds: 3)
        }
        #expect(try bench.measured().map(\.counter) == [10])
        try bench.wait(seconds: 2)
        _ = try bench.ask("ingest-adverts", batch([advert(packet)]))
        #expect(try bench.measured().count == 2)
    }

    @Test func `a batch with times keeps them, except times in the future`() throws {
        let bench = try Bench()
        let past = bench.now.advanced(bySeconds: -600)
        _ = try bench.ask(
            "ingest-adverts",
            batch([
                advert(ruuvi(sequence: 1), at: past.description),
                advert(ruuvi(sequence: 2), at: bench.now.advanced(bySeconds: 3600).description),
            ]))
        #expect(try bench.journal().map(\.envelope.time) == [past, bench.now])
    }

    @Test func `an unreadable packet in a batch is quarantined, and the rest of the batch is recorded`() throws {
        let bench = try Bench()
        // BTHome of a version that does not exist.
        let odd = "0616d2fce00203"
        let answer = try bench.ask("ingest-adverts", batch([advert(odd), advert(ruuvi(sequence: 1)), advert(odd)]))
        #expect(try answer.json.get("unreadable", as: Int.self) == 2)
        #expect(try answer.json.get("measurements", as: Int.self) == 1)
        let quarantined = try bench.quarantined()
        #expect(quarantined.map(\.bytes) == [odd])
        #expect(quarantined.map(\.length) == [7])
        #expect(quarantined.map(\.others) == [1])
        #expect(quarantined.map(\.source) == ["gateway/barn"])
    }

    @Test func `a packet whose only value is implausible is recorded as refused, and not as measured`() throws {
        let bench = try Bench()
        // BTHome 2, temperature 327.67 °C, a failure code of sensors.
        _ = try bench.ask("ingest-adverts", batch([advert("0716d2fc4002ff7f")]))
        #expect(try bench.measured().isEmpty)
        #expect(try bench.refused().map(\.payload) == ["4002ff7f"])
        #expect(
            try bench.refused().flatMap(\.values) == [RefusedValue(.temperature, 327.67, because: "failure-code")])
    }

    @Test func `a batch with beacons records each beacon once a minute`() throws {
        let bench = try Bench()
        let beacon = "1aff4c000215" + "2f234454cf6d4a0fadf2f4911ba9ffa6" + "00010002c5"
        for _ in 0..<3 {
            _ = try bench.ask("ingest-adverts", batch([advert(beacon), advert(beacon)]))
            try bench.wait(seconds: 1)
        }
        try bench.wait(seconds: 60)
        _ = try bench.ask("ingest-adverts", batch([advert(beacon)]))
        let beacons = try bench.journal().compactMap {
            if case .beaconHeard(let event) = $0.fact { event } else { nil }
        }
        #expect(beacons.map(\.beacon) == Array(repeating: "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:2", count: 2))
        #expect(beacons.first?.power == -59)
    }

    @Test func `unreadable packets of many sources become at most one event a second and source`() throws {
        let bench = try Bench()
        for number in 0..<1000 {
            _ = try bench.ask("ingest-adverts", batch([advert("0616d2fce00203")], source: "s\(number % 10)"))
            bench.clock.advance(bySeconds: 0.0001)
        }
        #expect(try bench.quarantined().count == 10)
        try bench.wait(seconds: 2)
        let quarantined = try bench.quarantined()
        #expect(quarantined.count == 20)
        #expect(quarantined.reduce(0) { $0 + 1 + $1.others } == 1000)
    }

    @Test(arguments: [
        ("{\"adverts\":{}}", 400), ("{\"adverts\":[{\"address\":\"cb\",\"hex\":\"00\"}]}", 400),
        ("{\"adverts\":[{\"address\":\"cb:b8:33:4c:88:4f\",\"hex\":\"0\"}]}", 400), ("{}", 400), ("{", 400),
        ("{\"adverts\":[{\"address\":\"cb:b8:33:4c:88:4f\",\"hex\":\"00\",\"at\":\"soon\"}]}", 400),
    ])
    func `a malformed batch is refused`(body: String, status: Int) throws {
        let bench = try Bench()
        #expect(try bench.ask("ingest-adverts", body).status == status)
        #expect(try bench.journal().isEmpty)
    }

    @Test func `a batch with too many advertisements is refused`() throws {
        let bench = try Bench()
        let answer = try bench.ask("ingest-adverts", batch(Array(repeating: advert("00"), count: 2001)))
        #expect(answer.status == 413)
        #expect(try answer.json.get("title", as: String.self) == "too-many")
    }
}
