import Events
import JSON
import Testing
import Vocabulary

@Suite("Values of characteristics in batches")
struct CharacteristicValueTests {
    private static let humidity = "f000aa21-0451-4000-b000-000000000000"

    private func value(_ hex: String, _ more: String) -> String {
        #"{"address":"54:6c:0e:00:00:01","hex":"\#(hex)","rssi":-58,\#(more)}"#
    }

    private func batch(_ values: String...) -> String {
        #"{"source":"gateway/hub","adverts":[\#(values.joined(separator: ","))]}"#
    }

    @Test func `a SensorTag's notified value becomes a measurement by the formula of its chip`() throws {
        let bench = try Bench()
        let answer = try bench.ask(
            "ingest-adverts", batch(value("66660080", #""characteristic":"\#(Self.humidity)""#)))
        #expect(try answer.json.get("measurements", as: Int.self) == 1)
        let event = try #require(try bench.measured().first)
        #expect(event.device == DeviceID("ble:546c0e000001") && event.format == "sensortag-hdc1000")
        #expect(event.source == "gateway/hub" && event.rssi == -58)
        // IanHarvey/bluepy, HumiditySensorHDC1000: 0x6666 / 65536 · 165 − 40, and 0x8000 / 65536 · 100.
        #expect(abs(try #require(event.value(.temperature)) - 25.999) < 0.001)
        #expect(event.value(.humidity) == 50)

        _ = try bench.ask(
            "ingest-adverts", batch(value("f4633c5a", #""characteristic":"aa21","sensor":"sht21""#)))
        let other = try #require(try bench.measured().last)
        #expect(other.format == "sensortag-sht21")
        #expect(abs(try #require(other.value(.temperature)) - 21.758) < 0.001)
    }

    @Test func `a standard characteristic is read, and an advertisement beside it as well`() throws {
        let bench = try Bench()
        // Temperature in 0.01 °C; BTHome 2 with packet id 10 and 25.06 °C.
        let answer = try bench.ask(
            "ingest-adverts",
            batch(
                value("2a09", #""characteristic":"2A6E""#),
                #"{"address":"54:6c:0e:00:00:02","hex":"0916d2fc40000a02ca09"}"#))
        #expect(try answer.json.get("measurements", as: Int.self) == 2)
        #expect(try bench.measured().map { $0.value(.temperature) } == [23.46, 25.06])
    }

    @Test func `two characteristics of a device with equal bytes are two measurements`() throws {
        let bench = try Bench()
        // 23.46 °C and 23.46 %.
        let both = batch(value("2a09", #""characteristic":"2a6e""#), value("2a09", #""characteristic":"2a6f""#))
        #expect(try bench.ask("ingest-adverts", both).json.get("measurements", as: Int.self) == 2)
        #expect(try bench.measured().flatMap { $0.readings.map(\.quantity) } == [.temperature, .humidity])
        #expect(try bench.ask("ingest-adverts", both).json.get("known", as: Int.self) == 2)
    }

    @Test(arguments: [
        ("667800", "f000aa21"), ("", "2a6e"), ("0000", "2a00"), ("00000000", "f000aa01"),
    ])
    func `a value that cannot be read is quarantined, and the rest of its batch is recorded`(
        hex: String, uuid: String
    ) throws {
        let bench = try Bench()
        let answer = try bench.ask(
            "ingest-adverts",
            batch(
                value(hex, #""characteristic":"\#(uuid)""#), value("66660080", #""characteristic":"aa21""#)))
        #expect(answer.status == 200)
        #expect(try answer.json.get("unreadable", as: Int.self) == 1)
        #expect(try bench.measured().count == 1)
    }

    @Test func `an unknown chip is refused by name`() throws {
        let bench = try Bench()
        let answer = try bench.ask(
            "ingest-adverts", batch(value("66660080", #""characteristic":"aa21","sensor":"bme280""#)))
        #expect(answer.status == 400)
        #expect(try answer.json.get("detail", as: String.self).contains("sensor"))
        #expect(try bench.measured().isEmpty)
    }
}

extension Measured {
    fileprivate func value(_ quantity: Quantity) -> Double? { readings.first { $0.quantity == quantity }?.value }
}
