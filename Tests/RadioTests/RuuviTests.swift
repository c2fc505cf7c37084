import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Ruuvi tags")
struct RuuviTests {
    @Test func `Ruuvi packets are decoded as in the maker's test vectors`() throws {
        guard let lines = try Vectors.lines("ble/ruuvi-official-df5.jsonl") else { return }
        var tally = Tally("ble/ruuvi-official-df5.jsonl")
        for line in lines {
            let report = try read(try #require(line["hex"]?.hexBytes))
            let expected = try #require(line["expected"])
            let wanted: [(Quantity, Double?)] = [
                (.temperature, expected["temperature_c"]?.number),
                (.pressure, expected["pressure_pa"]?.number.map { $0 / 100 }),
                (.humidity, expected["humidity_pct"]?.number),
                (.accelerationX, expected["ax_g"]?.number.map { $0 * 9.80665 }),
                (.accelerationY, expected["ay_g"]?.number.map { $0 * 9.80665 }),
                (.accelerationZ, expected["az_g"]?.number.map { $0 * 9.80665 }),
                (.voltage, expected["battery_v"]?.number),
            ]
            let device = "ble:" + (expected["mac"]?.string ?? "")
            tally.note(
                report.holds(wanted) && report.counter == expected["sequence"]?.number.map { UInt64($0) }
                    && report.device.rawValue == device,
                "\(report)")
        }
        tally.finish(floor: 4)
    }

    @Test func `Ruuvi formats 3, 5, 6 and E1 are decoded as another reader decodes them`() throws {
        guard let lines = try Vectors.lines("ble/ruuvi-decoders.jsonl") else { return }
        var tally = Tally("ble/ruuvi-decoders.jsonl")
        for line in lines {
            let format = line["format"]?.string ?? ""
            let bytes = line["hex"]?.hexBytes ?? []
            guard ["ruuvi/df3", "ruuvi/df5-rawv2", "ruuvi/df6", "ruuvi/e1"].contains(format) else {
                tally.leaveOut(format)
                continue
            }
            guard bytes.first == 3 || format != "ruuvi/df3" else {
                // The expected values were read from the first byte of a packet that begins elsewhere.
                tally.leaveOut("df3 read from a wrong place")
                continue
            }
            let expected = try #require(line["expected"])
            let report = try read(bytes)
            tally.note(report.agrees(with: expected, milli: true), "\(line["hex"]?.string ?? "") \(report)")
        }
        tally.finish(floor: 15)
    }

    @Test func `advertisements of Ruuvi tags are decoded as a third reader decodes them`() throws {
        guard let lines = try Vectors.lines("ble/ruuvi.jsonl") else { return }
        var tally = Tally("ble/ruuvi.jsonl")
        for line in lines {
            let decoded = AdvertisementDecoder().decode(
                Advertisement(address: 0, rssi: -60, data: try #require(line["ad_hex"]?.hexBytes)))
            let expected = try #require(line[path: "expected", "values"])
            var report = try #require(decoded.reports.first)
            // That reader drops all three axes if one is missing.
            let accelerations: Set<Quantity> = [.accelerationX, .accelerationY, .accelerationZ]
            if expected["acceleration_x"]?.number == nil {
                report.readings.removeAll { accelerations.contains($0.quantity) }
            }
            tally.note(report.agrees(with: expected, milli: false), "\(line["hex"]?.string ?? "") \(report)")
        }
        tally.finish(floor: 9)
    }

    @Test func `a temperature below zero in Ruuvi format 3 is recognised by the sign bit`() throws {
        let report = try read(try #require(Hex.decode("03b28145ca20007a002603d0088f")))
        #expect(report.holds([(.temperature, -1.69), (.humidity, 89), (.pressure, 1017.44), (.voltage, 2.191)]))
    }

    private func read(_ payload: [UInt8]) throws -> Report {
        try Ruuvi.read(ByteReader(payload), device: .unknownBluetooth, rssi: nil)
    }
}

extension Report {
    func value(_ quantity: Quantity, channel: Int = 1) -> Double? {
        readings.first { $0.quantity == quantity && $0.channel == channel }?.value
    }

    /// Whether every quantity has the given value, or is absent if that is nil.
    func holds(_ wanted: [(Quantity, Double?)], within tolerance: Double = 1e-6) -> Bool {
        wanted.allSatisfy { quantity, expected in
            switch (value(quantity), expected) {
            case (nil, nil): true
            case (let value?, let expected?): value.isClose(to: expected, within: tolerance)
            default: false
            }
        }
    }

    /// Compares with the field names of Python's Ruuvi packages, which round to two decimals.
    fileprivate func agrees(with expected: JSONAny, milli: Bool) -> Bool {
        var wanted: [(Quantity, Double?, Double)] = [
            (.temperature, expected["temperature"]?.number, 0.00501),
            (.humidity, expected["humidity"]?.number, 0.00501),
            (.pressure, expected["pressure"]?.number, 0.00501),
            (.voltage, (expected["battery"] ?? expected["voltage"])?.number.map { $0 / 1000 }, 1e-6),
            (.co2, (expected["co2"] ?? expected["carbon_dioxide"])?.number, 1e-6),
            (.pm25, (expected["pm_2_5"] ?? expected["pm25"])?.number, 0.0501),
            (.pm10, (expected["pm_10"] ?? expected["pm10"])?.number, 0.0501),
            (.illuminance, (expected["luminosity"] ?? expected["illuminance"])?.number, 0.51),
        ]
        let scale = milli ? 9.80665 / 1000 : 1
        for (name, quantity) in [
            ("acceleration_x", Quantity.accelerationX), ("acceleration_y", .accelerationY),
            ("acceleration_z", .accelerationZ),
        ] {
            wanted.append((quantity, expected[name]?.number.map { $0 * scale }, 0.00501))
        }
        return wanted.allSatisfy { quantity, expected, tolerance in
            switch (value(quantity), expected) {
            case (nil, nil): true
            case (let value?, let expected?): abs(value - expected) <= tolerance
            default: false
            }
        }
    }
}
