import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@Suite("Uploaded captures")
struct CaptureTests {
    @Test func `a capture of real tags gives each measurement once, and nothing when it is uploaded again`() throws {
        let names = ["captures/ruuvi-hcidump-2.x.btsnoop", "captures/ruuvi-hcidump-3.x.btsnoop"]
        let bodies = names.compactMap(DataSet.capture)
        guard bodies.count == 2, let lines = try DataSet.lines("ble/hcidump.jsonl") else { return }
        let expected = try Self.expected(lines)
        let bench = try Bench()
        for body in bodies { #expect(try bench.ask("ingest-capture", body).status == 200) }

        let measured = try bench.measured()
        print("captures: \(measured.count) measurements of \(Set(measured.map(\.device)).count) tags in the journal")
        #expect(measured.count == 50)
        #expect(Set(measured.map(\.device)).count == 7)
        #expect(Set(measured.map { Key(device: $0.device.rawValue, counter: $0.counter) }) == Set(expected.keys))
        for event in measured {
            let wanted = try #require(expected[Key(device: event.device.rawValue, counter: event.counter)])
            #expect(event.format == "ruuvi5" && event.source == "capture")
            for (quantity, name, divisor) in [
                (Quantity.temperature, "temperature", 1.0), (.humidity, "humidity", 1), (.pressure, "pressure", 1),
                (.voltage, "battery", 1000),
            ] {
                let value = try #require(event.readings.first { $0.quantity == quantity }?.value)
                // The expected values are rounded to two decimals.
                #expect(abs(value - (try wanted.get(name, as: Double.self)) / divisor) <= 0.00501)
            }
        }
        #expect(try bench.quarantined().isEmpty)

        let head = bench.core.log.head.position
        // Again at once, and again two hours later; the captures are years old.
        for (number, body) in (bodies + bodies).enumerated() {
            if number == bodies.count { bench.clock.advance(bySeconds: 7200) }
            let answer = try bench.ask("ingest-capture", body)
            #expect(try answer.json.get("measurements", as: Int.self) == 0)
        }
        #expect(bench.core.log.head.position == head)
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a repeated request with a capture gets the stored response`() throws {
        guard let body = DataSet.capture("captures/ruuvi-hcidump-2.x.btsnoop") else { return }
        let bench = try Bench()
        let first = try bench.ask("ingest-capture", body, key: "once")
        let again = try bench.ask("ingest-capture", body, key: "once")
        #expect(try first.json.get("measurements", as: Int.self) == again.json.get("measurements", as: Int.self))
        #expect(try first.json.get("measurements", as: Int.self) > 20)
    }

    @Test func `a capture of a foreign network is stored undecoded, each report of six copies once`() throws {
        guard let body = DataSet.capture("captures/control4-sample.pcap") else { return }
        let bench = try Bench()
        #expect(try bench.ask("ingest-capture", body).status == 200)
        let raws = try bench.raws()
        print("captures: \(raws.count) raw reports of a network nobody here knows")
        #expect(raws.map(\.counter) == [79, 89, 99])
        #expect(raws.allSatisfy { $0.profile == 0xC25D && $0.device == DeviceID("zb:000fff0000415b1a") })
        #expect(try bench.measured().isEmpty)
        #expect(try bench.quarantined().isEmpty)
        // Frames encrypted with an unknown key are counted for operators.
        #expect(bench.notes.first { $0.name == "inputs_sealed" }?.count ?? 0 > 20)
    }

    @Test func `a capture with times in the future is dated now, so that no later report is late`() throws {
        guard let bytes = DataSet.bytes("captures/ruuvi-hcidump-3.x.btsnoop") else { return }
        var late = bytes
        // The records' times, in microseconds: 2^56 later is about the year 4300.
        var record = 16
        while record + 24 <= late.count {
            late[record + 16] = 1
            record += 24 + late[(record + 4)..<(record + 8)].reduce(0) { $0 << 8 | Int($1) }
        }
        let bench = try Bench()
        let answer = try bench.ask("ingest-capture", "{\"capture\":\"\(BaseEncoding.base64.encode(late))\"}")
        #expect(answer.status == 200)
        let times = try bench.journal().map(\.envelope.time)
        #expect(!times.isEmpty && times.allSatisfy { $0 <= bench.now })
    }

    @Test func `a capture of many thousand measurements is recorded whole, with a response of limited size`() throws {
        func big(_ value: UInt64, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
        }
        var file = Array("btsnoop".utf8) + [0] + big(1, 4) + big(1002, 4)
        for number in 0..<6000 as Range<UInt64> {
            let advert = try #require(
                Hex.decode(
                    "0201061bff99040512fc5394c37c0004fffc040cac3642" + Hex.encode(big(number, 2)) + "cbb8334c884f"))
            let report: [UInt8] = [0x02, 0x01, 0x00, 0x01, 0x4F, 0x88, 0x4C, 0x33, 0xB8, 0xCB, 31] + advert + [0xBA]
            let packet: [UInt8] = [0x04, 0x3E, UInt8(report.count)] + report
            file += big(UInt64(packet.count), 4) + big(UInt64(packet.count), 4) + big(3, 4) + big(0, 4)
            file += big(0x00E0_3AB4_4A67_6000 + number * 1_000_000, 8) + packet
        }
        let bench = try Bench()
        let body = "{\"capture\":\"\(BaseEncoding.base64.encode(file))\"}"
        let answer = try bench.ask("ingest-capture", body, key: "big")
        #expect(answer.status == 200)
        #expect(try answer.json.get("measurements", as: Int.self) == 6000)
        #expect(answer.json["accepted"]?.array?.count == 2000)
        #expect(try bench.measured().count == 6000)
        #expect(try bench.ask("ingest-capture", body, key: "big").json.get("measurements", as: Int.self) == 6000)
    }

    @Test(arguments: [
        ("{\"capture\":\"not base 64\"}", "malformed"), ("{\"capture\":\"AAAA\"}", "unreadable-capture"),
        ("{}", "malformed"), ("[]", "malformed"), ("{\"capture\":7}", "malformed"),
    ])
    func `a request without a valid capture is refused with a reason`(body: String, code: String) throws {
        let bench = try Bench()
        let answer = try bench.ask("ingest-capture", body)
        #expect(answer.status == (code == "malformed" ? 400 : 422))
        #expect(try answer.json.get("title", as: String.self) == code)
        #expect(try answer.json.get("type", as: String.self) == "urn:furrow:problem:\(code)")
        #expect(try bench.journal().isEmpty)
    }

    private struct Key: Hashable {
        var device: String
        var counter: UInt64?
    }

    private static func expected(_ lines: [JSONValue]) throws -> [Key: JSONValue] {
        var expected: [Key: JSONValue] = [:]
        for line in lines {
            guard let ruuvi = line["expected"]?["ruuvi"], !ruuvi.isNull else { continue }
            let device = "ble:" + (try ruuvi.get("mac", as: String.self))
            expected[Key(device: device, counter: try ruuvi.get("measurement_sequence_number"))] = ruuvi
        }
        return expected
    }
}
