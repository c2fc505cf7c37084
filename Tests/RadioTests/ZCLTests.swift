import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Frames of the cluster library")
struct ZCLTests {
    private let device = DeviceID("zb:00124b001e17efa8")

    @Test func `a ZCL frame gives the records and measurements of every vector`() throws {
        guard let lines = try Vectors.lines("zigbee/zcl.jsonl") else { return }
        var tally = Tally("zigbee/zcl.jsonl")
        for line in lines {
            let bytes = try #require(line["hex"]?.hexBytes)
            let expected = try #require(line["expected"])
            let decoded = decode(bytes, cluster: try cluster(line))
            tally.note(
                try agrees(bytes, with: try #require(expected["zcl"]))
                    && decoded.agrees(with: expected["measurements"] ?? .null),
                "\(line["hex"]?.string ?? "") \(line["name"]?.string ?? "") \(decoded)")
        }
        tally.finish(floor: 63)
    }

    @Test func `a ZCL frame of Xiaomi gives its packed values`() throws {
        guard let lines = try Vectors.lines("zigbee/xiaomi.jsonl") else { return }
        var tally = Tally("zigbee/xiaomi.jsonl")
        for line in lines {
            var bytes = try #require(line["hex"]?.hexBytes)
            if line["format"]?.string == "xiaomi/zcl-basic-attr" { bytes = [0x1C, 0x5F, 0x11, 0x7F, 0x0A] + bytes }
            let expected = try #require(line["expected"])
            let decoded = decode(bytes, cluster: expected["attr"]?.string == "0x00F7" ? 0xFCC0 : 0x0000)
            tally.note(
                decoded.problems.isEmpty && decoded.agrees(with: expected["measurements"] ?? .null, packed: true),
                "\(line["hex"]?.string ?? "") \(decoded)")
        }
        tally.finish(floor: 46)
    }

    @Test func `a ZCL frame of Tuya is stored undecoded`() throws {
        guard let lines = try Vectors.lines("zigbee/tuya.jsonl") else { return }
        var tally = Tally("zigbee/tuya.jsonl")
        for line in lines {
            let bytes = try #require(line["hex"]?.hexBytes)
            let decoded = decode(bytes, cluster: 0xEF00)
            if bytes.count >= 3 {
                tally.note(decoded.reports.isEmpty && decoded.raws.map(\.payload) == [bytes], "\(decoded)")
            } else {
                tally.note(decoded.problems.count == 1, "\(decoded)")
            }
        }
        print("zigbee/tuya.jsonl: data points are left out, frames are kept raw")
        tally.finish(floor: 48)
    }

    @Test func `a ZCL report of another profile is stored with its transaction number`() {
        let report: [UInt8] = [0x08, 79, 0x0A, 0, 0, 0x29, 0x2E, 9]
        let decoded = decode(report, cluster: 0x0402, profile: 0xC25D)
        #expect(decoded.reports.isEmpty && decoded.problems.isEmpty)
        #expect(decoded.raws.map(\.tsn) == [79])
        #expect(decoded.raws.map(\.profile) == [0xC25D])
    }

    @Test func `a ZCL frame gives the attributes before an unknown type`() throws {
        let frame = try ZCLFrame([0x18, 1, 0x0A, 0, 0, 0x29, 0x2E, 9, 1, 0, 0x77, 1, 2])
        let attributes = ZCLAttributes(frame)
        #expect(attributes.records.count == 1)
        #expect(attributes.droppedBytes == 5)
        let decoded = decode(frame.bytes, cluster: 0x0402)
        #expect(decoded.reports.first?.value(.temperature) == 23.5)
        #expect(decoded.problems == [Malformed("no such ZCL type, 5 bytes dropped", at: 11)])
    }

    @Test func `a Lumi sensor's minus 100 °C is rejected, and any sensor's failure code is marked`() {
        let report: [UInt8] = [0x18, 1, 0x0A, 0, 0, 0x29, 0xF0, 0xD8]
        #expect(decode(report, cluster: 0x0402).reports.first?.value(.temperature) == -100)
        let lumi = decode(report, cluster: 0x0402, traits: DeviceTraits(model: "lumi.weather"))
        #expect(lumi.reports.first?.readings.isEmpty == true)
        #expect(lumi.reports.first?.rejected.map(\.value) == [-100])
        let broken = decode([0x18, 1, 0x0A, 0, 0, 0x29, 0xFF, 0x7F], cluster: 0x0402)
        #expect(broken.reports.first?.readings.map(\.doubt) == [.failureCode])
    }

    @Test func `a ZCL frame is read with every type, and unneeded values are skipped`() throws {
        let values: [(String, ZCLValue)] = [
            ("0801", .bytes([1])), ("0f0102030405060708", .bytes([1, 2, 3, 4, 5, 6, 7, 8])), ("1001", .bool(true)),
            ("10ff", .invalid), ("1b01020304", .unsigned(0x0403_0201)), ("2300000080", .unsigned(0x8000_0000)),
            ("27ffffffffffffffff", .invalid), ("2880", .invalid), ("28ff", .signed(-1)), ("2a000080", .invalid),
            ("2affffff", .signed(-1)), ("3002", .unsigned(2)), ("31ffff", .invalid), ("38003c", .float(1)),
            ("3800bc", .float(-1)), ("380100", .float(0x1p-24)), ("38007e", .invalid), ("390000803f", .float(1)),
            ("390000c07f", .invalid), ("3a000000000000f03f", .float(1)), ("41020102", .bytes([1, 2])),
            ("41ff", .invalid),
            ("42026869", .text("hi")), ("4302000102", .bytes([1, 2])), ("4402006869", .text("hi")),
            ("4820020007ff", .list([.unsigned(7), .invalid])), ("502000" + "00", .list([])), ("5120ffff", .invalid),
            ("4c02002007420161", .structure([.unsigned(7), .text("a")])), ("e001020304", .unsigned(0x0403_0201)),
            ("e2ffffffff", .invalid), ("e80204", .unsigned(0x0402)), ("ea01000000", .unsigned(1)),
            ("f00807060504030201", .unsigned(0x0102_0304_0506_0708)),
            ("f1" + String(repeating: "ab", count: 16), .bytes(Array(repeating: 0xAB, count: 16))), ("00", .invalid),
        ]
        for (hex, expected) in values {
            let bytes = try #require(Hex.decode(hex))
            // A temperature behind the value shows that its length was right.
            let frame = try ZCLFrame([0x18, 1, 0x0A, 9, 9] + bytes + [0, 0, 0x29, 0x2E, 9])
            let attributes = ZCLAttributes(frame)
            #expect(attributes[0x0909] == expected, "\(hex)")
            #expect(attributes[0] == .signed(2350), "\(hex)")
        }
    }

    @Test func `deeply nested ZCL lists are rejected`() throws {
        let deep = [UInt8](repeating: 0x4C, count: 1) + (0..<100).flatMap { _ in [UInt8(1), 0, 0x4C] }
        let attributes = ZCLAttributes(try ZCLFrame([0x18, 1, 0x0A, 0, 0] + deep))
        #expect(attributes.records.isEmpty)
        #expect(attributes.problem?.reason == "lies too deep")
    }

    @Test func `a ZCL frame gets a default response if its sender requests one`() throws {
        let report = try ZCLFrame([0x08, 0x7A, 0x0A, 0, 0, 0x20, 0xF3])
        #expect(report.defaultResponse()?.bytes == [0x10, 0x7A, 0x0B, 0x0A, 0x00])
        #expect(try ZCLFrame([0x18, 1, 0x0A]).defaultResponse() == nil)
        #expect(try ZCLFrame([0x08, 1, 0x0B, 0x0A, 0]).defaultResponse() == nil)
    }

    @Test func `a report of the farm's own node is decoded by its layout`() throws {
        let values: [Quantity: Double] = [
            .temperature: -3.21, .humidity: 55.5, .illuminance: 1234.5, .voltage: 2.987,
        ]
        let payload = Layout.furrowNode.write(values, counter: 65_535)
        #expect(Hex.encode(payload) == "bffeae1539300000ab0bffff")
        let decoded = decode(payload, cluster: 1, profile: 0xF0A0)
        let report = try #require(decoded.reports.first)
        #expect(report.holds(values.map { ($0.key, $0.value) }))
        #expect(report.protocolName == "furrow-node-1")
        #expect(report.counter == 65_535)
        let silent = try #require(
            decode(Layout.furrowNode.write([:], counter: 7), cluster: 1, profile: 0xF0A0).reports.first)
        #expect(silent.readings.isEmpty && silent.rejected.isEmpty && silent.counter == 7)
        let short = decode(Array(payload.dropLast()), cluster: 1, profile: 0xF0A0)
        #expect(short.reports.isEmpty && short.problems.count == 1 && short.raws.count == 1)
    }

    @Test func `a report of a DHT11 is decoded by its layout`() {
        let decoded = decode([45, 0, 23, 5, 73], cluster: 0x0011, profile: 0xF0A0)
        #expect(decoded.reports.first?.holds([(.humidity, 45), (.temperature, 23.5)]) == true)
        #expect(decode([45, 0, 23, 5, 74], cluster: 0x0011, profile: 0xF0A0).problems.count == 1)
        #expect(Layout.dht11.write([.humidity: 45, .temperature: -1.5]) == [45, 0, 1, 0x85, 179])
    }

    private func decode(
        _ bytes: [UInt8], cluster: UInt16, profile: UInt16? = 0x0104, traits: DeviceTraits = .standard
    ) -> DecodedInput {
        let decoder = ZigBeeDecoder(traits: [device: traits])
        return decoder.decode(
            ZigBeeMessage(device: device, profile: profile, cluster: cluster, endpoint: 1, payload: bytes))
    }

    private func cluster(_ line: JSONAny) throws -> UInt16 {
        try #require(UInt16(line["cluster"]?.string?.dropFirst(2) ?? "", radix: 16))
    }

    /// Compares header and records with zigpy's. zigpy drops a whole frame where this decoder returns the records
    /// before the error.
    private func agrees(_ bytes: [UInt8], with expected: JSONAny) throws -> Bool {
        guard bytes.count >= 3 else { return expected["zigpy_error"] != nil }
        let frame = try ZCLFrame(bytes)
        func same(_ name: String, _ value: Int?) -> Bool {
            guard let wanted = expected[name] else { return true }
            return wanted.number.map { Int($0) } == value
        }
        let attributes = ZCLAttributes(frame)
        guard same("tsn", Int(frame.transaction)), same("command", Int(frame.command)), frame.bytes == bytes,
            same("manufacturer", frame.manufacturer.map { Int($0) })
        else { return false }
        if expected["zigpy_error"] != nil { return attributes.problem != nil }
        guard let records = expected["records"]?.elements else { return true }
        return attributes.problem == nil && attributes.records.count == records.count
            && zip(attributes.records, records).allSatisfy { ours, theirs in
                guard theirs["attr"]?.number == Double(ours.attribute) else { return false }
                guard let value = theirs["value"] else { return ours.status != 0 }
                switch ours.value {
                case .text(let text): return value.string == text
                case .invalid: return [255, 65_535, -32_768].contains(value.number ?? 0)
                default: return ours.value.number == value.number
                }
            }
    }
}

extension DecodedInput {
    /// Compares with the field names of the ZigBee vectors. With `packed`, the report may have further values.
    func agrees(with measurements: JSONAny, packed: Bool = false) -> Bool {
        let names: [(String, Quantity, Double)] = [
            ("temperature_c", .temperature, 1), ("humidity_pct", .humidity, 1), ("pressure_hpa", .pressure, 1),
            ("illuminance_lx", .illuminance, 1), ("soil_moisture_pct", .soilMoisture, 1),
            ("leaf_wetness_pct", .leafWetness, 1), ("ec_ms_m", .conductivity, 10), ("ph", .ph, 1), ("co2_ppm", .co2, 1),
            ("battery_pct", .battery, 1), ("battery_v", .voltage, 1), ("battery_mv", .voltage, 0.001),
        ]
        if measurements.isNull { return reports.allSatisfy(\.readings.isEmpty) && !problems.isEmpty }
        var found = 0
        for (name, quantity, scale) in names {
            guard let expected = measurements[name] else { continue }
            let value = reports.first?.value(quantity)
            switch (value, expected.number) {
            case (nil, nil): break
            case (let value?, let expected?) where value.isClose(to: expected * scale): found += 1
            default: return false
            }
        }
        if let model = measurements["model"]?.string, reports.first?.model != model { return false }
        return packed || found == reports.reduce(0) { $0 + $1.readings.count }
    }
}
