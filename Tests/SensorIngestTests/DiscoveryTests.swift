import JSON
import Radio
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Announced sensors")
struct DiscoveryTests {
    private var mapper = MessageMapper(topics: BrokerSettings.topics, keys: [:])

    private mutating func map(_ topic: String, _ payload: String, retained: Bool = false) throws
        -> MessageMapper.Outcome
    {
        let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), id: 1, isRetained: retained)
        return try mapper.map(message, at: Instant(microseconds: 0), isLate: true) { _ in nil }
    }

    private mutating func announce(
        _ object: String, _ quantity: String = "temperature", topic: String, member: String? = nil
    ) throws -> MessageMapper.Outcome {
        let template = member.map { #","val_tpl":"{{ value_json.\#($0) }}""# } ?? ""
        return try map(
            "homeassistant/sensor/node/\(object)/config",
            #"{"dev_cla":"\#(quantity)","stat_t":"\#(topic)","dev":{"ids":["aabbcc"]}\#(template)}"#, retained: true)
    }

    /// Returns the values of each device in a state.
    private mutating func values(_ topic: String, _ payload: String) throws -> [String: [Quantity: Double]] {
        guard case .mapped(let mapped) = try map(topic, payload) else { return [:] }
        var values: [String: [Quantity: Double]] = [:]
        for report in mapped.decoded.reports {
            for reading in report.readings {
                guard let quantity = reading.quantity.of(channel: reading.channel) else { continue }
                #expect(values[report.device.rawValue]?[quantity] == nil)
                values[report.device.rawValue, default: [:]][quantity] = reading.value
            }
        }
        return values
    }

    @Test mutating func `a fridge and a freezer of one device are two devices, with the humidity of each`() throws {
        _ = try announce("fridge_temperature", topic: "n/fridge")
        _ = try announce("freezer_temperature", topic: "n/freezer")
        _ = try announce("fridge_humidity", "humidity", topic: "n/fridge_humidity")
        #expect(try values("n/fridge", "4") == ["ha:aabbcc:fridge": [.temperature: 4]])
        #expect(try values("n/freezer", "-18") == ["ha:aabbcc:freezer": [.temperature: -18]])
        #expect(try values("n/fridge_humidity", "80") == ["ha:aabbcc:fridge": [.humidity: 80]])
    }

    @Test mutating func `the only sensors of a device are this device`() throws {
        _ = try announce("temperature", topic: "n", member: "t")
        _ = try announce("moisture", "moisture", topic: "n", member: "m")
        #expect(try values("n", #"{"t":4,"m":30}"#) == ["ha:aabbcc": [.temperature: 4, .soilMoisture: 30]])
    }

    @Test(arguments: [["probe_1", "probe_2"], ["probe_2", "probe_1"]])
    mutating func `probes in one state keep their devices in any order of announcements`(order: [String]) throws {
        for probe in order { _ = try announce(probe, topic: "n", member: probe) }
        #expect(
            try values("n", #"{"probe_1":4,"probe_2":-18}"#) == [
                "ha:aabbcc:probe_1:temperature": [.temperature: 4],
                "ha:aabbcc:probe_2:temperature": [.temperature: -18],
            ])
        #expect(
            try values("n", #"{"probe_1":null,"probe_2":-18}"#) == [
                "ha:aabbcc:probe_2:temperature": [.temperature: -18]
            ])
    }

    @Test mutating func `object ids that differ give different devices, also long ones`() throws {
        let long = String(repeating: "a", count: 80)
        let objects = ["air", "air_temperature", "temperature", "_temperature", long + "1", long + "2"]
        for object in objects { _ = try announce(object, topic: "n", member: "t") }
        #expect(try values("n", #"{"t":4}"#).count == objects.count)
    }

    @Test mutating func `a topic that a broker would refuse is an error, and the next announcement is read`() throws {
        let levels = Array(repeating: "a", count: MQTTLimits.topicLevels).joined(separator: "/")
        let longest = String(repeating: "t", count: MQTTLimits.stateTopicBytes)
        let bad = [
            "", "a\\u0000b", "a\\u001fb", "a\\ufffeb", "a/+", "a/#", "$SYS/broker", "$share/g/a",
            levels + "/a", longest + "t", String(repeating: "t", count: 70_000),
        ]
        for topic in bad {
            #expect(throws: Malformed.self, "\(topic.prefix(20))") { try announce("temperature", topic: topic) }
        }
        for topic in [levels, longest, "søil/æ"] {
            #expect(try announce("temperature", topic: topic) == .announced(topic))
        }
    }

    @Test mutating func `the base of a topic is replaced at its start or its end`() throws {
        func announcement(_ topic: String, _ base: String) -> String {
            #"{"dev_cla":"temperature","~":"\#(base)","stat_t":"\#(topic)"}"#
        }
        #expect(try map("homeassistant/sensor/a/config", announcement("~/state", "b")) == .announced("b/state"))
        #expect(try map("homeassistant/sensor/a/config", announcement("get/~", "b")) == .announced("get/b"))
        #expect(try map("homeassistant/sensor/a/config", announcement("a~b", "b")) == .announced("a~b"))
        let long = String(repeating: "b", count: MQTTLimits.stateTopicBytes)
        #expect(throws: Malformed.self) { try map("homeassistant/sensor/a/config", announcement("~/state", long)) }
    }

    @Test func `a hostile template is refused at once`() {
        let repeated = "{{ value " + String(repeating: "|round", count: 10_000)
        #expect(HomeAssistantDiscovery.path(repeated) == nil)
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            for length in 0...MQTTLimits.templateBytes {
                #expect(HomeAssistantDiscovery.path("{{ value |round" + String(repeating: " ", count: length)) == nil)
                #expect(HomeAssistantDiscovery.path("{{ value" + String(repeating: "|a ", count: length / 3)) == nil)
            }
        }
        // The former expression took 32 s for one template of 80 bytes.
        #expect(elapsed < .seconds(10))
        let incomplete = ["{{ value", "{{ value }} x", "{{ value_json }}", "{{ value_json. }}", "{{ value_json['a }}"]
        for bad in incomplete {
            #expect(HomeAssistantDiscovery.path(bad) == nil, "\(bad)")
        }
        #expect(HomeAssistantDiscovery.path(" {{value_json.a['b']|round( 1 )}} ") == ["a", "b"])
    }

    @Test func `a text over the limit ends before a character that it would cut`() {
        let text = String(repeating: "a", count: MQTTLimits.topicBytes - 1) + "é"
        let bytes = MQTTRequest.text(text)
        #expect(bytes.count == 2 + MQTTLimits.topicBytes - 1)
        #expect(bytes.prefix(2) == [0xFF, 0xFE] && String(validating: bytes.dropFirst(2), as: UTF8.self) != nil)
        #expect(MQTTRequest.text("é") == [0, 2, 0xC3, 0xA9])
    }
}
