import EventSourcing
import EventStore
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SensorIngest

@Suite("Advertisements that are not understood")
struct KeptAdvertTests {
    private static let radar = "12ffc0ac806400160001000000000000000000"
    private static let sealed = "1216d2fc41a47266c95f730011223378237214"
    private static let cut = "0201061bff990405c81c6812b1fd80"

    private func batch(_ adverts: [(address: String, hex: String)], at time: Instant? = nil) -> String {
        let at = time.map { ",\"at\":\"\($0)\"" } ?? ""
        let list = adverts.map { "{\"address\":\"\($0.address)\",\"hex\":\"\($0.hex)\"\(at)}" }
        return "{\"source\":\"gateway/barn\",\"adverts\":[\(list.joined(separator: ","))]}"
    }

    private let three = [
        ("a4:c1:38:00:00:01", Self.radar), ("a4:c1:38:00:00:02", Self.sealed), ("a4:c1:38:00:00:03", Self.cut),
    ]

    @Test func `an advertisement that is not understood is counted by its reason, stored and listed`() throws {
        let bench = try Bench()
        let answer = try bench.ask("ingest-adverts", batch(three)).json
        for reason in ["unsupported", "encrypted", "truncated"] {
            #expect(try answer.get(reason, as: Int.self) == 1, "\(reason)")
        }
        #expect(try bench.kept().map(\.data) == [Self.radar, Self.sealed, Self.cut])
        #expect(try bench.kept().map(\.reason) == ["unsupported", "encrypted", "truncated"])
        let listed = try bench.ask("unread-devices", "{}").json["items"]?.array.map { Array($0) } ?? []
        #expect(
            try listed.map { try $0.get("device", as: String.self) + " " + $0.get("reason", as: String.self) } == [
                "ble:a4c138000001 unsupported", "ble:a4c138000002 encrypted", "ble:a4c138000003 truncated",
            ])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `one advertisement per device and hour is stored`() throws {
        let bench = try Bench()
        let start = bench.now
        for minute in 0..<180 {
            bench.clock.set(to: start.advanced(bySeconds: Double(minute) * 60))
            _ = try bench.ask("ingest-adverts", batch(three))
        }
        let hours = Set((0..<180).map { start.advanced(bySeconds: Double($0) * 60).microseconds / 3_600_000_000 })
        print("adverts: \(180 * 3) not understood, \(try bench.kept().count) kept")
        #expect(try bench.kept().count == 3 * hours.count)
        // A backlog of the same hours adds nothing.
        for minute in 0..<180 {
            _ = try bench.ask("ingest-adverts", batch(three, at: start.advanced(bySeconds: Double(minute) * 60)))
        }
        #expect(try bench.kept().count == 3 * hours.count)
    }

    @Test func `advertisements are stored of a limited number of devices per hour`() throws {
        let bench = try Bench()
        let many = (0..<600).map { number in
            ("a4:c1:38:00:0\(number / 100):\(String(format2: number % 100))", Self.radar)
        }
        let answer = try bench.ask("ingest-adverts", batch(many)).json
        #expect(try answer.get("unsupported", as: Int.self) == 600)
        #expect(try bench.kept().count == 256)
    }

    @Test(arguments: [
        // Flags and a name; Apple's and Microsoft's advertisements of phones; an exposure notification.
        "02010605094f4b4f4b", "0aff4c0010050318a1b2c3", "0aff06000109200261a1b2", "0b166ffd0102030405060708",
    ])
    func `advertisements of phones, and those without data, are neither counted nor stored`(hex: String) throws {
        let bench = try Bench()
        let answer = try bench.ask("ingest-adverts", batch([("a4:c1:38:00:00:01", hex)])).json
        #expect(try answer.get("unsupported", as: Int.self) == 0)
        #expect(try bench.kept().isEmpty)
    }

    // MARK: Decoded later

    /// Returns an event of an older version without a decoder for ATC's format.
    private func keptATC(decoders: Int) -> AdvertKept {
        AdvertKept(
            device: DeviceID("ble:c0ffee000001"), reason: "unsupported", decoders: decoders,
            data: "10161a18c0ffee00000100d232500b5407", source: "gateway/barn", rssi: -60)
    }

    private func later(_ decoders: Int, before: [any Event]) throws -> Bench {
        try Bench(before: before, decoders: decoders)
    }

    @Test func `newer decoders decode a stored advertisement once after a start, with a deterministic id`() throws {
        let bench = try later(2, before: [keptATC(decoders: 1)])
        try bench.wait(seconds: 1)
        let journal = try bench.journal()
        let kept = try #require(journal.first { if case .advertKept = $0.fact { true } else { false } })
        let report = try #require(journal.first { if case .measured = $0.fact { true } else { false } })
        #expect(report.envelope.id == .named("decoded|\(kept.envelope.id)|0", in: .furrow))
        #expect(report.envelope.time == kept.envelope.time && report.envelope.causation == kept.envelope.id)
        #expect(try bench.measured().first?.readings.first == Events.Reading(.temperature, 21))
        #expect(try bench.measured().first?.source == "gateway/barn")
        #expect(try bench.decoded().map(\.decoders) == [2])
        #expect(bench.core.tables.scan(KeptAdvertRow.self, limit: 9).isEmpty)
        #expect(bench.core.tables.scan(UnreadDeviceRow.self, limit: 9).isEmpty)
        // The same packet in a gateway's backlog is a copy of it.
        let again = batch([("c0:ff:ee:00:00:01", keptATC(decoders: 1).data)], at: kept.envelope.time)
        #expect(try bench.ask("ingest-adverts", again).json.get("known", as: Int.self) == 1)
        #expect(try bench.measured().count == 1)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
        // After the next start nothing is left to decode.
        let restarted = try later(3, before: try bench.journal().map(\.fact.event))
        try restarted.wait(seconds: 1)
        #expect(try restarted.measured().count == 1)
    }

    @Test func `decoders of the same version do not decode a stored advertisement again`() throws {
        let bench = try later(2, before: [keptATC(decoders: 2)])
        try bench.wait(seconds: 1)
        #expect(try bench.measured().isEmpty)
    }

    @Test func `a stored advertisement that newer decoders do not understand either is retained`() throws {
        let bench = try later(
            2,
            before: [
                AdvertKept(
                    device: DeviceID("ble:a4c138000001"), reason: "unsupported", decoders: 1, data: Self.radar,
                    source: "")
            ])
        try bench.wait(seconds: 1)
        #expect(try bench.measured().isEmpty)
        #expect(bench.core.tables.scan(KeptAdvertRow.self, limit: 9).count == 1)
    }
}

extension String {
    /// Creates a number in two digits.
    fileprivate init(format2 number: Int) { self = number < 10 ? "0\(number)" : "\(number)" }
}
