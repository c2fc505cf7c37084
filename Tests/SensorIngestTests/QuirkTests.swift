import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@Suite("Makes of devices")
struct QuirkTests {
    private let device = DeviceID("zb:00158d0001dc126a")

    private var announcement: [UInt8] {
        ZNPMessage.deviceObject(
            .announced(source: 0x2001, short: 0x2001, ieee: 0x0015_8D00_01DC_126A, capabilities: 0x80)
        ).bytes
    }

    private func zcl(_ hex: String, cluster: UInt16, number: UInt8 = 0) throws -> [UInt8] {
        let message = IncomingMessage(
            cluster: cluster, source: .short(0x2001), sourceEndpoint: 1, destinationEndpoint: 1, lqi: 180,
            timestamp: 0, sequence: number, data: try #require(Hex.decode(hex)))
        return ZNPMessage.framework(.incoming(message)).bytes
    }

    /// Returns a report of the Basic cluster; attribute 5 is the model.
    private func basic(_ model: String) throws -> [UInt8] {
        let text = Array(model.utf8)
        return try zcl("18010a050042" + Hex.encode([UInt8(text.count)] + text), cluster: 0x0000)
    }

    /// Returns −100 °C, 0 hPa and 350 lux, as an Aqara device sends them.
    private func values() throws -> [UInt8] {
        try zcl("18020a000029f0d8", cluster: 0x0402, number: 2) + zcl("18030a0000290000", cluster: 0x0403, number: 3)
            + zcl("18050a0000215e01", cluster: 0x0400, number: 5)
    }

    @Test func `an Aqara device's later frames give no −100 °C, no 0 hPa, and lux without a logarithm`() throws {
        let bench = try Bench()
        try bench.hear(announcement + basic("lumi.weather") + values())
        #expect(try bench.measured().flatMap(\.readings) == [Events.Reading(.illuminance, 350)])
        let refused = try bench.refused().flatMap(\.values)
        #expect(
            refused == [
                RefusedValue(.temperature, -100, because: "out-of-range"),
                RefusedValue(.pressure, 0, because: "out-of-range"),
            ])
    }

    @Test func `the make of a device applies after a restart and is recorded once`() throws {
        let identified = DeviceIdentified(device: device, model: "lumi.weather", source: "tty")
        let bench = try Bench(before: [identified])
        try bench.hear(announcement + values())
        #expect(try bench.measured().flatMap(\.readings) == [Events.Reading(.illuminance, 350)])
        try bench.hear(basic("lumi.weather"))
        #expect(try bench.identified() == [identified])
        try bench.hear(basic("lumi.weather.v2"))
        #expect(try bench.identified().map(\.model) == ["lumi.weather", "lumi.weather.v2"])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `the make of a device applies again after the radio was reconnected`() throws {
        let bench = try Bench()
        try bench.hear(announcement + basic("lumi.weather"))
        try bench.take(.opened(source: Bench.line))
        try bench.hear(announcement + values())
        #expect(try bench.measured().flatMap(\.readings) == [Events.Reading(.illuminance, 350)])
    }

    @Test func `the make of a device does not affect another device, whose light level is a logarithm`() throws {
        let another = DeviceID("zb:00158d0001dc0000")
        let bench = try Bench(before: [DeviceIdentified(device: another, model: "lumi.weather", source: "")])
        try bench.hear(announcement + zcl("18050a0000215e01", cluster: 0x0400, number: 5))
        let light = try #require(try bench.measured().first?.readings.first)
        #expect(light.quantity == .illuminance && abs(light.value - 1.084) < 0.001)
    }

    @Test func `the traits of a device are decided by maker and model`() {
        #expect(DeviceTraits(maker: "LUMI", model: "lumi.sensor_motion.aq2").sendsPlainLux)
        #expect(!DeviceTraits(maker: "LUMI", model: "lumi.sen_ill.mgl01").sendsPlainLux)
        #expect(DeviceTraits(maker: "LUMI", model: nil).isLumi)
        #expect(DeviceTraits(maker: "Keen Home Inc", model: "SV01-410-MP-1.0").sendsWholePercent)
        #expect(!DeviceTraits(maker: "Another", model: "SV01-410-MP-1.0").sendsWholePercent)
        #expect(DeviceTraits(maker: nil, model: nil) == .standard)
    }
}
