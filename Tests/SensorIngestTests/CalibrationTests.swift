import EventSourcing
import Events
import JSON
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Calibrations of sensors")
struct CalibrationTests {
    private let device = DeviceID("ble:cbb8334c884f")

    /// Returns a bench with a point in a store and a limit of 30 °C there.
    private func bench() throws -> Bench {
        let bench = try Bench()
        try done(bench, "bind-point", #""point":"p1","title":"Top","place":"store/cold","device":"\#(device)""#)
        try done(bench, "set-rule", #""rule":"warm","place":"store/cold","quantity":"temperature","above":30"#)
        return bench
    }

    private func done(_ bench: Bench, _ verb: String, _ members: String) throws {
        #expect(try bench.ask(verb, "{\(members)}").status == 200, "\(verb) \(members)")
    }

    private func refusal(_ bench: Bench, _ verb: String, _ members: String) throws -> String {
        let answer = try bench.ask(verb, "{\(members)}")
        return "\(answer.status) \(try answer.json.get("title", as: String.self))"
    }

    /// Sends a report in Ruuvi's format 5 with this temperature.
    private func report(_ bench: Bench, _ celsius: Double, _ number: UInt16) throws {
        let raw = UInt16(bitPattern: Int16((celsius / 0.005).rounded()))
        let digits = [raw, number].map { value in
            let hex = String(value, radix: 16)
            return String(repeating: "0", count: 4 - hex.count) + hex
        }
        let hex = "0201061bff990405\(digits[0])ffffffff800080008000ffffff\(digits[1])cbb8334c884f"
        let advert = #"{"address":"cb:b8:33:4c:88:4f","hex":"\#(hex)"}"#
        let answer = try bench.ask("ingest-adverts", #"{"adverts":[\#(advert)]}"#)
        #expect(try answer.json.get("measurements", as: Int.self) == 1)
        try bench.wait(seconds: 60)
    }

    private func items(_ bench: Bench, _ verb: String) throws -> [JSONValue] {
        Array(try #require(try bench.ask(verb, "{}").json["items"]?.array))
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            if case .alarmRaised(let event) = recorded.fact { return "raised \(event.value)" }
            if case .alarmCleared(let event) = recorded.fact { return "cleared \(event.value)" }
            return nil
        }
    }

    @Test func `alarms are judged by the corrected value, and the report has what the device measured`() throws {
        let bench = try bench()
        try report(bench, 30.5, 1)
        try done(bench, "calibrate-device", #""device":"\#(device)","quantity":"temperature","offset":-1.5"#)
        try report(bench, 30.5, 2)
        try report(bench, 31.5, 3)
        try report(bench, 32, 4)
        #expect(try alarms(bench) == ["raised 30.5", "cleared 29.0", "raised 30.5"])
        let measured = try bench.journal().compactMap { recorded in
            if case .measured(let event) = recorded.fact { event.readings.first?.value } else { nil }
        }
        #expect(measured == [30.5, 30.5, 31.5, 32])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `the list of calibrations has the newest one of each device and quantity`() throws {
        let bench = try bench()
        let members = #""device":"\#(device)","quantity":"#
        try done(bench, "calibrate-device", members + #""temperature","offset":1"#)
        try done(bench, "calibrate-device", members + #""humidity","factor":1.02,"certificate":"Salt""#)
        try bench.wait(seconds: 60)
        try done(bench, "calibrate-device", members + #""temperature","offset":-0.5"#)
        let items = try items(bench, "calibrations")
        let listed = try items.map { item in
            let (factor, offset): (Double, Double) = (try item.get("factor"), try item.get("offset"))
            return "\(try item.get("quantity", as: String.self)) \(factor) \(offset)"
        }
        #expect(listed == ["humidity 1.02 0.0", "temperature 1.0 -0.5"])
    }

    @Test func `a calibration that cannot be meant is refused with a reason`() throws {
        let bench = try bench()
        let device = #""device":"\#(device)""#
        for (members, refusal) in [
            (#"\#(device),"quantity":"silence","offset":1"#, "422 not-measured"),
            (#"\#(device),"quantity":"temperature","factor":0"#, "400 malformed"),
            (#"\#(device),"quantity":"temperature","factor":-1"#, "400 malformed"),
            (#"\#(device),"quantity":"temperature","offset":2000000"#, "400 malformed"),
            (#""quantity":"temperature""#, "400 malformed"),
        ] {
            #expect(try self.refusal(bench, "calibrate-device", members) == refusal, "\(members)")
        }
    }

    @Test func `a retired point is not listed, its alarm is cleared, and its device can measure elsewhere`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        #expect(try refusal(bench, "retire-point", #""point":"p2""#) == "404 unknown-point")
        try done(bench, "retire-point", #""point":"p1","reason":"The shelf is gone""#)
        #expect(try alarms(bench) == ["raised 31.0", "cleared 31.0"])
        #expect(try items(bench, "points").isEmpty)
        try report(bench, 35, 2)
        #expect(try alarms(bench).count == 2)
        try done(bench, "bind-point", #""point":"p3","title":"Door","place":"store/cold","device":"\#(device)""#)
        try report(bench, 36, 3)
        #expect(try alarms(bench).count == 3)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `no more calibrations of a quantity are stored than the limit, the newest ones`() throws {
        var row = CalibrationRow(device)
        let start = Instant(microseconds: 1_777_792_500_000_000)
        for number in 0..<100 {
            let event = DeviceCalibrated(
                device: device, quantity: number.isMultiple(of: 2) ? .temperature : .humidity, factor: 1,
                offset: Double(number))
            row.add(event, at: start.advanced(bySeconds: Double(number)))
        }
        #expect(row.corrections.count == 64)
        let (first, last) = (start.advanced(bySeconds: 20), start.advanced(bySeconds: 200))
        #expect(row.correction(of: .temperature, at: first) == nil)
        #expect(row.correction(of: .temperature, at: last)?.offset == 98)
        #expect(try CalibrationRow(key: row.key, cells: row.cells) == row)
    }
}
