import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("The meaning of messages")
struct MessageMapperTests {
    private func map(
        _ topic: String, _ payload: String, retained: Bool = false, to mapper: inout MessageMapper
    ) throws -> MessageMapper.Outcome {
        let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), id: 1, isRetained: retained)
        return try mapper.map(message, at: Instant(microseconds: 0), isLate: true) { _ in nil }
    }

    private func mapped(_ topic: String, _ payload: String) throws -> MappedMessage? {
        var mapper = MessageMapper(topics: BrokerSettings.topics, keys: [:])
        guard case .mapped(let mapped) = try map(topic, payload, to: &mapper) else { return nil }
        return mapped
    }

    private func values(_ mapped: MappedMessage?) -> [Quantity: Double] {
        var values: [Quantity: Double] = [:]
        for reading in mapped?.decoded.reports.first?.readings ?? [] {
            if let quantity = reading.quantity.of(channel: reading.channel) { values[quantity] = reading.value }
        }
        return values
    }

    /// The values of each device.
    private func devices(_ mapped: MappedMessage?) -> [String: [Quantity: Double]] {
        var devices: [String: [Quantity: Double]] = [:]
        for report in mapped?.decoded.reports ?? [] {
            for reading in report.readings {
                guard let quantity = reading.quantity.of(channel: reading.channel) else { continue }
                devices[report.device.rawValue, default: [:]][quantity] = reading.value
            }
        }
        return devices
    }

    /// The members of the samples' expected values.
    private static let names: [(String, Quantity)] = [
        ("temperature_c", .temperature), ("humidity_pct", .humidity), ("pressure_hpa", .pressure),
        ("battery_pct", .battery), ("soil_moisture_pct", .soilMoisture), ("battery_v", .voltage),
        ("temperature", .temperature), ("humidity", .humidity), ("pressure", .pressure),
    ]

    @Test func `messages as gateways publish them give the values that independent decoders read`() throws {
        guard let samples = try DataSet.lines("gateway-json/samples.jsonl") else { return }
        var compared = 0
        for sample in samples where sample["transport"]?.words == "mqtt" {
            let topic: String = try sample.get("topic")
            let payload = try #require(sample["payload"])
            var json = JSONWriter()
            payload.write(to: &json)
            var mapper = MessageMapper(topics: BrokerSettings.topics, keys: [:])
            // This sample's name is no address; the list names it.
            _ = try map(
                "zigbee2mqtt/bridge/devices",
                #"[{"ieee_address":"0x00124b0000000007","friendly_name":"weather_sensor"}]"#, to: &mapper)
            let outcome = try map(topic, String(decoding: json.bytes, as: UTF8.self), to: &mapper)
            guard let expected = sample["expected"], !expected.isNull else {
                #expect(outcome == .nothing)
                continue
            }
            guard case .mapped(let mapped) = outcome else {
                #expect(Self.names.allSatisfy { expected[$0.0] == nil } && expected["ibeacon"] == nil, "\(topic)")
                continue
            }
            let values = values(mapped)
            for (name, quantity) in Self.names {
                guard let value = expected[name]?.number else { continue }
                #expect(abs((values[quantity] ?? .nan) - value) < 0.006, "\(topic): \(name)")
                compared += 1
            }
            if let uuid = expected["ibeacon"]?["uuid"]?.words {
                #expect(mapped.decoded.beacons.first?.identity == "ibeacon:\(uuid):0:0")
                compared += 1
            }
        }
        print("mqtt: \(compared) values of \(samples.count) samples compared")
        #expect(compared >= 14)
    }

    @Test func `a Ruuvi Gateway's advertisement is decoded and has the time of its reception`() throws {
        let mapped = try mapped(
            "ruuvi/C8:25:2D:8E:9C:2C/F4:1F:0C:28:CB:D6",
            #"{"gw_mac":"C8:25:2D:8E:9C:2C","rssi":-26,"gwts":"1653668027","ts":"1653668027","#
                + #""data":"0201061BFF99040515AE4C6DC6D7000CFFF803F4ADB6AD697FF41F0C28CBD6"}"#)
        #expect(mapped?.time == Instant("2022-05-27T16:13:47Z"))
        #expect(mapped?.source == "mqtt/c8-25-2d-8e-9c-2c")
        #expect(mapped?.decoded.reports.first?.counter == 27_007)
        #expect(mapped?.decoded.reports.first?.device == DeviceID("ble:f41f0c28cbd6"))
        // A clock that was never set gives no time.
        let unset = try self.mapped(
            "ruuvi/C8:25:2D:8E:9C:2C/F4:1F:0C:28:CB:D6", #"{"ts":"1200","data":"0201061BFF9904"}"#)
        #expect(unset?.time == nil)
        #expect(unset?.decoded.misses.count == 1)
        #expect(try self.mapped("ruuvi/C8:25:2D:8E:9C:2C/gw_status", #"{"state":"online"}"#) == nil)
    }

    @Test func `OpenMQTTGateway's raw data is decoded by our decoders, else its values are used`() throws {
        let raw = try mapped(
            "home/barn/BTtoMQTT/A4C138000001",
            #"{"id":"A4:C1:38:00:00:01","rssi":-60,"servicedata":"40029001","servicedatauuid":"0xfcd2"}"#)
        #expect(raw?.decoded.reports.first?.protocolName == "bthome2")
        #expect(values(raw) == [.temperature: 4])
        let decoded = try mapped(
            "home/barn/BTtoMQTT/A4C138000001",
            #"{"id":"A4:C1:38:00:00:01","rssi":-60,"tempc":"4.5","batt":90,"unixtime":1700000000}"#)
        #expect(values(decoded) == [.temperature: 4.5, .battery: 90])
        #expect(decoded?.time == Instant("2023-11-14T22:13:20Z"))
        let other = try mapped(
            "home/cellar/BTtoMQTT/A4C138000001", #"{"id":"A4:C1:38:00:00:01","rssi":-80,"tempc":4.5,"batt":90}"#)
        #expect(other?.decoded.reports.first?.repeatKey == decoded?.decoded.reports.first?.repeatKey)
        #expect(other?.source == "mqtt/cellar")
        let written = try mapped(
            "home/barn/BTtoMQTT/A4C138000001",
            #"{"id":"A4:C1:38:00:00:01","tempc":4.5,"UTCtime":"2023-11-14T22:13:20Z"}"#)
        #expect(written?.time == Instant("2023-11-14T22:13:20Z"))
    }

    @Test func `a stored message of a Bluetooth gateway is a reading only if it has a time`() throws {
        let samples = [
            ("home/barn/BTtoMQTT/A4C138000001", #"{"id":"A4:C1:38:00:00:01","tempc":4.5,"#, "unixtime"),
            (
                "ruuvi/C8:25:2D:8E:9C:2C/F4:1F:0C:28:CB:D6",
                #"{"data":"0201061BFF99040515AE4C6DC6D7000CFFF803F4ADB6AD697FF41F0C28CBD6","#, "ts"
            ),
        ]
        var mapper = MessageMapper(topics: BrokerSettings.topics, keys: [:])
        for (topic, start, member) in samples {
            for unset in ["0", "1200", "null"] {
                let outcome = try map(topic, start + "\"\(member)\":\(unset)}", retained: true, to: &mapper)
                #expect(outcome == .nothing, "\(topic) at \(unset)")
            }
            let outcome = try map(topic, start + "\"\(member)\":1700000000}", retained: true, to: &mapper)
            guard case .mapped(let mapped) = outcome else {
                Issue.record("\(topic) is no reading")
                continue
            }
            #expect(mapped.time == Instant("2023-11-14T22:13:20Z"))
        }
    }

    @Test func `each sensor of Tasmota is a device, in the units that it names`() throws {
        let mapped = try mapped(
            "tele/greenhouse/SENSOR",
            #"{"Time":"2024-05-01T12:00:00","DS18B20-1":{"Id":"01","Temperature":41.0},"#
                + #""DS18B20-2":{"Id":"02","Temperature":50.0},"BME280":{"Humidity":61.5,"Pressure":760},"#
                + #""ENERGY":{"Voltage":230},"TempUnit":"F","PressureUnit":"mmHg"}"#)
        #expect(
            devices(mapped) == [
                "tasmota:greenhouse:01": [.temperature: 5], "tasmota:greenhouse:02": [.temperature: 10],
                "tasmota:greenhouse:BME280": [.humidity: 61.5, .pressure: 1013.2501],
            ])
        #expect(mapped?.time == nil)
    }

    @Test func `a probe of Tasmota that fails leaves the values of the others where they were`() throws {
        let absent = try mapped("tele/barn/SENSOR", #"{"DS18B20":{"Id":"02","Temperature":-18}}"#)
        #expect(devices(absent) == ["tasmota:barn:02": [.temperature: -18]])
        let empty = try mapped(
            "tele/barn/SENSOR",
            #"{"SHT3X-44":{"Temperature":null,"Humidity":null},"SHT3X-45":{"Temperature":4,"Humidity":80}}"#)
        #expect(devices(empty) == ["tasmota:barn:SHT3X-45": [.temperature: 4, .humidity: 80]])
        #expect(try mapped("tele/barn/SENSOR", #"{"DS18B20":{"Id":"02","Temperature":null}}"#) == nil)
    }

    @Test func `an announced sensor's states are read once it is announced`() throws {
        var mapper = MessageMapper(topics: BrokerSettings.topics, keys: [:])
        let state = "cooler/sensor/air/state"
        let announced = try map(
            "homeassistant/sensor/cooler/air/config",
            #"{"dev_cla":"temperature","unit_of_meas":"°F","stat_t":"\#(state)","uniq_id":"a","dev":{"ids":"aabbcc","#
                + #""mf":"Espressif","mdl":"esp32dev"}}"#, retained: true, to: &mapper)
        #expect(announced == .announced(state))
        guard case .mapped(let mapped) = try map(state, "41.0", to: &mapper) else {
            Issue.record("no reading")
            return
        }
        #expect(values(mapped) == [.temperature: 5])
        #expect(mapped.decoded.reports.first?.device == DeviceID("ha:aabbcc:air:temperature"))
        #expect(try map(state, "41.0", retained: true, to: &mapper) == .nothing)
        #expect(try map(state, "unavailable", to: &mapper) == .nothing)
        // The states of zigbee2mqtt are understood without its announcements.
        #expect(
            try map(
                "homeassistant/sensor/0x1/temperature/config",
                #"{"device_class":"temperature","state_topic":"zigbee2mqtt/x","value_template":"{{ value_json.t }}"}"#,
                to: &mapper) == .nothing)
    }

    @Test func `templates that name a member are followed, others are not guessed`() {
        #expect(HomeAssistantDiscovery.path(nil) == [])
        #expect(HomeAssistantDiscovery.path("{{ value }}") == [])
        #expect(HomeAssistantDiscovery.path("{{ value_json.air.t | round(1) }}") == ["air", "t"])
        #expect(HomeAssistantDiscovery.path("{{ value_json['air'].t|float|round(1) }}") == ["air", "t"])
        #expect(HomeAssistantDiscovery.path("{{ value_json.t | is_defined }}") == ["t"])
        #expect(HomeAssistantDiscovery.path("{{ value_json.t * 2 }}") == nil)
        #expect(HomeAssistantDiscovery.path("{{ value_json.t | multiply(2) }}") == nil)
        #expect(HomeAssistantDiscovery.path("{% if x %}1{% endif %}") == nil)
    }

    @Test func `payloads that are not what the topic announces are errors, never traps`() {
        var random = SplitMix64(seed: 17)
        let topics = [
            "zigbee2mqtt/a", "zigbee2mqtt/bridge/devices", "home/g/BTtoMQTT/AABBCCDDEEFF", "tele/x/SENSOR",
            "ruuvi/C8:25:2D:8E:9C:2C/F4:1F:0C:28:CB:D6", "homeassistant/sensor/a/config",
        ]
        let texts = [
            "[1]", "3", "\"a\"", "{}", "null", "{\"data\":\"zz\"}", "{\"temperature\":1e308,\"last_seen\":1e300}",
        ]
        var mapper = MessageMapper(topics: BrokerSettings.topics, keys: [:])
        for topic in topics {
            for text in texts { _ = Result { try map(topic, text, to: &mapper) } }
            for _ in 0..<2_000 {
                let message = MQTTMessage(topic: topic, payload: random.bytes(30), id: nil)
                _ = Result { try mapper.map(message, at: Instant(microseconds: 0), isLate: true) { _ in nil } }
            }
        }
    }
}
