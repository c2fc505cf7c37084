import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Tuya's ZigBee devices")
struct TuyaTests {
    private static let device = DeviceID.zigbee(0xA4C1_3800_1122_3344)

    private func decode(_ hex: String, maker: String?, cluster: UInt16 = 0xEF00, model: String = "TS0601") throws
        -> DecodedInput
    {
        var decoder = ZigBeeDecoder()
        decoder.learn(maker: maker, model: model, of: Self.device)
        let payload = try #require(Hex.decode(hex))
        return decoder.decode(
            ZigBeeMessage(
                device: Self.device, profile: 0x0104, cluster: cluster, endpoint: 1, payload: payload))
    }

    @Test func `a recorded frame of a soil sensor gives moisture, temperature and battery of the listed maker`() throws
    {
        guard let line = try Vectors.lines("zigbee/tuya.jsonl")?.last else { return }
        let hex = try #require(line["hex"]?.string)
        let report = try #require(try decode(hex, maker: "_TZE284_aao3yzhs").reports.first)
        #expect(report.protocolName == "tuya" && report.counter == 0x21)
        let expected = try #require(line[path: "expected", "measurements"])
        #expect(report.value(.soilMoisture) == expected["soil_moisture_pct"]?.number)
        #expect(report.value(.temperature) == expected["temperature_c"]?.number)
        #expect(report.value(.battery) == 88 && report.readings.count == 3)
    }

    @Test func `the same frame of an unlisted maker is stored undecoded`() throws {
        let frame = "0921020007030200040000002905020004ffffffdb"
        for maker in [nil, "_TZE200_00000000"] {
            let decoded = try decode(frame, maker: maker)
            #expect(decoded.reports.isEmpty && decoded.raws.map(\.payload) == [Hex.decode(frame)])
        }
    }

    @Test func `the scale of a temperature depends on the maker`() throws {
        let frame = "092102000705020004000000d7"
        #expect(try decode(frame, maker: "_TZE284_g2e6cpnw").reports.first?.value(.temperature) == 21.5)
        // This family sends whole degrees; 215 °C is beyond what is plausible.
        let whole = try #require(try decode(frame, maker: "_TZE200_myd45weu").reports.first)
        #expect(whole.readings.map(\.value) == [215] && whole.readings.first?.doubt == .outOfRange)
    }

    @Test(arguments: [
        (
            "_TZE200_yjjdcqsq", "09010200010102000400000 0fd0202000400000047",
            [Quantity.temperature: 25.3, .humidity: 71]
        ),
        ("_TZE284_aaeasoll", "0901020001020200040000 1388", [.illuminance: 5000]),
        ("_TZE284_kyyu8rbj", "090102000102020004000000 7b16020004000000 32", [.level: 1230, .fillLevel: 50]),
        ("_TZE200_n8dljorx", "0901020001010100010102020004000000 5a", [.contact: 1, .battery: 90]),
    ])
    func `data points of climate, light, tank and door sensors are read`(
        _ maker: String, _ hex: String, _ values: [Quantity: Double]
    ) throws {
        let report = try #require(try decode(hex.replacing(" ", with: ""), maker: maker).reports.first)
        #expect(Dictionary(report.readings.map { ($0.quantity, $0.value) }) { first, _ in first } == values)
    }

    @Test func `a frame that is cut off keeps the values before the cut`() throws {
        let decoded = try decode("09e0020b3301020004000000fd02020004", maker: "_TZE200_yjjdcqsq")
        #expect(decoded.reports.first?.value(.temperature) == 25.3)
        #expect(decoded.problems.count == 1)
    }

    @Test func `leak and contact alarms are read of the models that are known to send them`() throws {
        #expect(
            try decode("0901000100000000", maker: "_TZ3000_x", cluster: 0x0500, model: "TS0207")
                .reports.first?.value(.leak) == 1)
        #expect(
            try decode("0901000000000000", maker: "_TZ3000_x", cluster: 0x0500, model: "TS0203")
                .reports.first?.value(.contact) == 0)
        let other = try decode("0901000100000000", maker: "_TZ3000_x", cluster: 0x0500, model: "TS0202")
        #expect(other.reports.isEmpty && other.raws.count == 1)
    }

    @Test func `a device that names its maker is decoded from then on`() throws {
        var decoder = ZigBeeDecoder()
        let basic = "180a0a040042105f545a453230305f6d796434357765750500420654533036 3031".replacing(" ", with: "")
        func message(_ cluster: UInt16, _ hex: String) throws -> ZigBeeMessage {
            ZigBeeMessage(
                device: Self.device, profile: 0x0104, cluster: cluster, endpoint: 1,
                payload: try #require(Hex.decode(hex)))
        }
        let frame = "0921020007050200040000000f"
        #expect(decoder.decodeAndLearn(try message(0xEF00, frame)).reports.isEmpty)
        _ = decoder.decodeAndLearn(try message(0x0000, basic))
        #expect(decoder.decodeAndLearn(try message(0xEF00, frame)).reports.first?.value(.temperature) == 15)
    }

    @Test func `at least twenty makers of farm sensors are listed`() {
        print("Tuya: \(TuyaDevices.count) makers")
        #expect(TuyaDevices.count >= 20)
    }
}
