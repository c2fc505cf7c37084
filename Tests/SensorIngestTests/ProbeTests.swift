import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@Suite("Devices with a second probe")
struct ProbeTests {
    /// Returns a batch in BTHome: packet id, 4.0 °C in the room and −18.0 °C in the freezer.
    private func batch(_ number: UInt8 = 1, room: Int16 = 400, freezer: Int16 = -1800) -> String {
        let bytes = [room, freezer].flatMap { value -> [UInt8] in
            let raw = UInt16(bitPattern: value)
            return [0x02, UInt8(raw & 0xFF), UInt8(raw >> 8)]
        }
        let packet = "0c16d2fc40" + Hex.encode([0x00, number] + bytes)
        return "{\"adverts\":[{\"address\":\"c0:ff:ee:00:00:02\",\"hex\":\"\(packet)\"}]}"
    }

    private let device = DeviceID("ble:c0ffee000002")

    private func readings(_ bench: Bench) throws -> [String: [String]] {
        let items = try bench.ask("devices", "{}").json["items"]?.array.map { Array($0) } ?? []
        return Dictionary(
            uniqueKeysWithValues: try items.map { item in
                let values = try item.get("readings", as: [Events.Reading].self)
                return (try item.get("device", as: String.self), values.map { "\($0.quantity.rawValue) \($0.value)" })
            })
    }

    @Test func `a second probe is a channel of its device and is listed like a device`() throws {
        let bench = try Bench()
        _ = try bench.ask("ingest-adverts", batch())
        #expect(
            try bench.measured().first?.readings == [
                Events.Reading(.temperature, 4), Events.Reading(.temperature2, -18),
            ])
        #expect(
            try readings(bench) == [
                "ble:c0ffee000002": ["temperature 4.0", "temperature-2 -18.0"],
                "ble:c0ffee000002#2": ["temperature -18.0"],
            ])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    private func bind(_ bench: Bench, _ point: String, _ place: String, _ device: DeviceID) throws {
        let answer = try bench.ask(
            "bind-point", "{\"point\":\"\(point)\",\"title\":\"T\",\"place\":\"\(place)\",\"device\":\"\(device)\"}")
        #expect(answer.status == 200)
    }

    private func raised(_ bench: Bench) throws -> [AlarmRaised] {
        try bench.journal().compactMap { if case .alarmRaised(let event) = $0.fact { event } else { nil } }
    }

    @Test func `a second probe that is bound to a point is evaluated there, as its plain quantity`() throws {
        let bench = try Bench()
        try bind(bench, "room", "store/room", device)
        try bind(bench, "freezer", "store/freezer", device.probe(2))
        for place in ["room", "freezer"] {
            let limit = place == "room" ? "\"above\":8,\"below\":-5" : "\"above\":-15"
            _ = try bench.ask(
                "set-rule",
                "{\"rule\":\"\(place)\",\"place\":\"store/\(place)\",\"quantity\":\"temperature\",\(limit)}")
        }
        _ = try bench.ask("ingest-adverts", batch(1))
        #expect(try raised(bench).isEmpty)
        try bench.wait(seconds: 10)
        _ = try bench.ask("ingest-adverts", batch(2, freezer: -1000))
        #expect(
            try raised(bench).map { "\($0.point) \($0.quantity.rawValue) \($0.value)" } == ["freezer temperature -10.0"]
        )
    }

    @Test func `an unbound second probe is evaluated at its device's point, under its channel's name`() throws {
        let bench = try Bench()
        try bind(bench, "room", "store/room", device)
        _ = try bench.ask(
            "set-rule", "{\"rule\":\"r\",\"place\":\"store/room\",\"quantity\":\"temperature-2\",\"above\":-15}")
        _ = try bench.ask("ingest-adverts", batch(1, freezer: -1000))
        #expect(try raised(bench).map(\.quantity) == [.temperature2])
    }

    @Test func `a value of an unsupported probe is refused with a reason`() throws {
        let bench = try Bench()
        let packet = "1516d2fc40" + String(repeating: "029001", count: 5) + "0164"
        let advert = "{\"adverts\":[{\"address\":\"c0:ff:ee:00:00:02\",\"hex\":\"\(packet)\"}]}"
        _ = try bench.ask("ingest-adverts", advert)
        #expect(try bench.measured().first?.readings.count == 5)
        #expect(try bench.refused().flatMap(\.values) == [RefusedValue(.temperature, 4, because: "no-such-channel")])
    }
}
