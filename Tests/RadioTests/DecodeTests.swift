import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Decode lines")
struct DecodeTests {
    @Test func `a decode line of an advertisement gives readings with device, quantity, value and unit`() throws {
        let hex = "043e2b020103019ecb99fa0dc51f0201061bff99040510dc9680cfa60424ffc8fff4a936e3c8bfc50dfa99cb9eb8"
        let answer = try answer(#"{"id":7,"format":"hci","hex":"\#(hex)"}"#)
        #expect(answer.members.map(\.0) == ["id", "readings", "beacons", "frames", "error"])
        #expect(answer["id"] == .integer(7))
        #expect(answer["error"] == .null)
        #expect(
            answer["readings"]?.elements.first
                == .object([
                    ("device", .string("ble:c50dfa99cb9e")), ("quantity", .string("temperature")),
                    ("value", .double(21.58)), ("unit", .string("Cel")),
                ]))
        let values = Dictionary(
            uniqueKeysWithValues: (answer["readings"]?.elements ?? []).map {
                ($0["quantity"]?.string ?? "", $0["value"]?.number ?? 0)
            })
        #expect(values["humidity"] == 96.32)
        #expect(values["pressure"] == 1031.58)
        #expect(values["voltage"] == 2.953)
        #expect(values["rssi"] == -72)
        let frame = try #require(answer["frames"]?.elements.first)
        #expect(answer["frames"]?.elements.count == 1)
        #expect(frame["manufacturerData"]?["0x0499"]?.string?.hasPrefix("0510dc9680") == true)
        #expect(frame["reports"]?.elements.first?["counter"]?.number == 51_391)
    }

    @Test func `a decode line is decrypted with its own key, or with the common key of all others`() throws {
        // The format's own example: AES-CCM, 25.06 °C and 50.55 %.
        let sealed = #"{"format":"ad","hex":"1216d2fc41a47266c95f730011223378237214","address":"54:48:E6:8F:80:A5""#
        let open = #"{"format":"ad","hex":"0916d2fc40000a02ca09","address":"54:48:E6:8F:80:A5""#
        let key = "231d39c1d7cc1ab1aee224cd096db932"
        #expect(try answer(sealed + "}")["error"]?.string?.contains("no bindkey is known") == true)
        let values = ["temperature": 25.06, "humidity": 50.55]
        #expect(try answer(sealed + #","bindkey":"\#(key)"}"#).values == values)
        let common = try #require(Hex.decode(key))
        for (line, expected) in [(sealed, values), (open, ["temperature": 25.06])] {
            let written = DecodeLine.decode(Array((line + "}").utf8), key: common)
            let read: JSONAny = try JSONValue.parse(written).read()
            #expect(read["error"] == .null && read.values == expected)
        }
        // A device with a key encrypts, so an unencrypted packet under its address comes from another device.
        #expect(try answer(open + #","bindkey":"\#(key)"}"#)["error"]?.string?.contains("not encrypted") == true)
    }

    @Test func `a decode line of each other format gives what its decoder reads`() throws {
        let sensorTag = try answer(
            #"{"format":"gatt","hex":"00400020","characteristic":"F000AA21-0451-4000-B000-000000000000","#
                + #""address":"A0:E6:F8:01:02:03"}"#)
        #expect(sensorTag["id"] == .null && sensorTag["error"] == .null)
        #expect(sensorTag.values == ["temperature": 1.25, "humidity": 12.5])
        #expect(sensorTag["readings"]?.elements.first?["device"]?.string == "ble:a0e6f8010203")
        let zcl = try answer(#"{"format":"zcl","hex":"18010a0000292e09","cluster":"0x0402"}"#)
        #expect(zcl.values == ["temperature": 23.5])
        #expect(zcl["readings"]?.elements.first?["device"]?.isNull == true)
        #expect(try self.answer(#"{"format":"zcl","hex":"18010a0000292e09","cluster":1026}"#).values == zcl.values)
        let znp = try answer(
            #"{"format":"znp","hex":"00fe0d45c12b1a2b1aa8ef171e004b1200801e"#
                + #"fe1c4481000002042b1a010100280000341200000818010a0000292e092b1a1dd9fe"}"#)
        #expect(znp.values == ["temperature": 23.5])
        let commands = znp["frames"]?.elements.map { $0["cmd"]?.string }
        #expect(commands == ["ZDO_END_DEVICE_ANNCE_IND", "AF_INCOMING_MSG"])
        #expect(znp["frames"]?.elements.last?["cluster"]?.number == 0x0402)
        #expect(znp["readings"]?.elements.first?["device"]?.string == "zb:00124b001e17efa8")
        let ad = try answer(#"{"format":"ad","hex":"1aff4c000215426c7565436861726d426561636f6e730efe1355c5"}"#)
        #expect(ad["beacons"]?.elements.first?["uuid"]?.string == "426c7565-4368-6172-6d42-6561636f6e73")
        #expect(ad["readings"]?.elements.isEmpty == true)
    }

    @Test(arguments: [
        "", "{", "[]", "7", #"{"format":"hci"}"#, #"{"format":"x","hex":""}"#, #"{"format":"hci","hex":"0"}"#,
        #"{"format":"hci","hex":""}"#, #"{"format":"hci","hex":"ffff"}"#, #"{"format":"ad","hex":""}"#,
        #"{"format":"ad","hex":"30303030303030"}"#, #"{"format":"znp","hex":"fe0361080001553f"}"#,
        #"{"format":"zcl","hex":"18010a0000292e09"}"#, #"{"format":"zcl","hex":"1805","cluster":"0x0402"}"#,
        #"{"format":"zcl","hex":"18010a0000292e09","cluster":"0x10402"}"#, #"{"format":"gatt","hex":"00400020"}"#,
        #"{"format":"gatt","hex":"00400020","characteristic":"1234"}"#,
        #"{"format":"gatt","hex":"004000","characteristic":"f000aa21-0451-4000-b000-000000000000"}"#,
        #"{"format":"hci","hex":"04","bindkey":"00"}"#, #"{"format":"hci","hex":"04","address":"xyz"}"#,
    ])
    func `a meaningless decode line gives empty lists and an error`(_ line: String) throws {
        let answer = try answer(line)
        #expect(answer["error"]?.string?.isEmpty == false)
        #expect(answer["readings"] == .array([]))
        #expect(answer["beacons"] == .array([]))
    }

    @Test func `a decode line returns any id unchanged, on one line`() throws {
        for id in [#""a\nb""#, "1.5", #"{"x":[1]}"#, "true"] {
            let line = DecodeLine.decode(Array(#"{"id":\#(id),"format":"hci","hex":""}"#.utf8))
            #expect(!line.contains(UInt8(ascii: "\n")))
            #expect(try JSONValue.parse(line).get("id", as: JSONAny.self) == JSONValue.parse(id).read(as: JSONAny.self))
        }
    }

    @Test func `a capture file is decoded line by line, with repetitions without readings`() throws {
        guard let tags = Vectors.bytes("captures/ruuvi-hcidump-2.x.btsnoop"),
            let network = Vectors.bytes("captures/control4-sample.pcap")
        else { return }
        let lines = try DecodeFile(tags).map { try JSONValue.parse($0).read(as: JSONAny.self) }
        let ids = lines.compactMap { $0["id"]?.number }
        #expect(ids == (1...511).map(Double.init))
        let measured = lines.filter { $0["readings"]?.elements.isEmpty == false }
        print("decode --file: \(lines.count) packets, \(measured.count) measurements")
        #expect(measured.count >= 20)
        let raws = try DecodeFile(network).flatMap { line in
            let frames = try JSONValue.parse(line).read(as: JSONAny.self)["frames"]?.elements ?? []
            return frames.flatMap { $0["raws"]?.elements ?? [] }
        }
        #expect(raws.map { $0["tsn"]?.number } == [79, 89, 99])
        #expect(throws: Malformed.self) { try DecodeFile([1, 2, 3]) }
    }

    @Test func `a decode line of every broadcast vector gives what the decoders give`() throws {
        var tally = Tally("broadcast vectors as lines")
        for path in ["ble/bthome.jsonl", "ble/xiaomi.jsonl", "ble/ruuvi.jsonl"] {
            for line in try Vectors.lines(path) ?? [] {
                let address = line[path: "input", "address"]?.string ?? ""
                let key = line[path: "state", "bindkey"]?.string
                let hex = line["ad_hex"]?.string ?? ""
                let bindkey = key.map { #","bindkey":"\#($0)""# } ?? ""
                let answer = try answer(#"{"format":"ad","hex":"\#(hex)","address":"\#(address)"\#(bindkey)}"#)
                let number = UInt64(address.replacing(":", with: ""), radix: 16)
                let decoded = AdvertisementDecoder(commonKey: key.flatMap(Hex.decode)).decode(
                    Advertisement(address: number, data: try #require(Hex.decode(hex))))
                let readings = answer["readings"]?.elements ?? []
                tally.note(
                    readings.map { $0["quantity"]?.string }
                        == decoded.reports.flatMap(\.readings).map(\.quantity.rawValue)
                        && readings.map { $0["value"]?.number } == decoded.reports.flatMap(\.readings).map(\.value)
                        && answer["error"]?.string == (decoded.problems + decoded.sealed).first?.description,
                    "\(hex) \(answer)")
            }
        }
        guard tally.checked > 0 else { return }
        tally.finish(floor: 257)
    }

    private func answer(_ line: String) throws -> JSONAny {
        try JSONValue.parse(DecodeLine.decode(Array(line.utf8))).read()
    }
}

extension JSONAny {
    /// The values of a decoded line, by quantity.
    fileprivate var values: [String: Double] {
        Dictionary(
            (self["readings"]?.elements ?? []).map { ($0["quantity"]?.string ?? "", $0["value"]?.number ?? 0) },
            uniquingKeysWith: { first, _ in first })
    }
}

@Suite("GATT characteristics")
struct CharacteristicTests {
    @Test func `a SensorTag's characteristic is decoded for either chip`() throws {
        guard let lines = try Vectors.lines("ble/sensortag.jsonl") else { return }
        var tally = Tally("ble/sensortag.jsonl")
        for line in lines {
            let bytes = try #require(line["hex"]?.hexBytes)
            let uuid = "F000AA21-0451-4000-B000-000000000000"
            let new = try #require(Characteristic(uuid: uuid)).read(bytes, device: .unknownBluetooth)
            let old = try #require(Characteristic(uuid: uuid, sensor: .sht21)).read(bytes, device: .unknownBluetooth)
            // The expected values are rounded to four decimals.
            let isNewRight = new.holds(
                [
                    (.temperature, line[path: "expected", "temperature_c"]?.number),
                    (.humidity, line[path: "expected", "humidity_pct"]?.number),
                ], within: 1e-4)
            let isOldRight = old.holds(
                [
                    (.temperature, line["sht21_temperature_c"]?.number),
                    (.humidity, line["wrong_sht21_humidity"]?.number),
                ], within: 1e-4)
            tally.note(isNewRight && isOldRight, "\(new) \(old)")
        }
        tally.finish(floor: 6)
    }

    @Test func `a characteristic of the Bluetooth SIG is identified by its short number`() throws {
        let temperature = try #require(Characteristic(uuid: "2a6e"))
        #expect(Characteristic(uuid: "00002A6E-0000-1000-8000-00805F9B34FB") == temperature)
        #expect(try temperature.read([0x9C, 0xFF], device: .unknownBluetooth).value(.temperature) == -1)
        #expect(try temperature.read([0x00, 0x80], device: .unknownBluetooth).readings.isEmpty)
        #expect(throws: Malformed.self) { try temperature.read([1], device: .unknownBluetooth) }
        #expect(Characteristic(uuid: "2a6e0000-0000-1000-8000-00805f9b34fb") == nil)
        #expect(Characteristic(uuid: "") == nil)
    }
}
