import JSON
import Radio
import Vocabulary

/// Sensors that announce themselves as Home Assistant's MQTT discovery defines: ESPHome and many others.
///
/// An announcement names the quantity, the unit and the topic of the state. The state is a number, or a member of a
/// JSON object that the template names. Announcements of gateways whose messages are understood anyway are ignored.
struct HomeAssistantDiscovery {
    /// One announced sensor.
    struct Sensor: Equatable {
        let id: String
        let device: DeviceID
        let quantity: Quantity
        let unit: String?
        /// The members that lead to the value; empty if the state is the number itself.
        let path: [String]
        let maker: String?
        let model: String?
    }

    private var sensors: [String: [Sensor]] = [:]
    private var count = 0

    private static let quantities: [String: Quantity] = [
        "temperature": .temperature, "humidity": .humidity, "pressure": .pressure, "atmospheric_pressure": .pressure,
        "illuminance": .illuminance, "moisture": .soilMoisture, "carbon_dioxide": .co2, "battery": .battery,
        "voltage": .voltage, "ph": .ph, "conductivity": .conductivity,
    ]

    /// Reads an announcement. Returns the topic of a state that is not known yet.
    mutating func learn(
        _ message: MQTTMessage, besides mapper: MessageMapper
    ) throws(Malformed) -> MessageMapper.Outcome {
        // An empty announcement withdraws the sensor.
        guard !message.payload.isEmpty else { return .nothing }
        let json = try MessageMapper.json(message)
        guard let quantity = Self.text(json, "device_class", "dev_cla").flatMap({ Self.quantities[$0] }),
            let stated = Self.text(json, "state_topic", "stat_t"),
            let path = Self.path(Self.text(json, "value_template", "val_tpl"))
        else { return .nothing }
        let base = Self.text(json, "~", "~") ?? ""
        let topic = stated.replacing("~", with: base)
        guard !mapper.understands(topic), !topic.contains("+"), !topic.contains("#") else { return .nothing }
        let about = json["device"] ?? json["dev"]
        let sensor = Sensor(
            id: message.topic, device: Self.device(about) ?? DeviceID("ha:\(MessageMapper.name(topic))"),
            quantity: quantity, unit: Self.text(json, "unit_of_measurement", "unit_of_meas"), path: path,
            maker: about.flatMap { Self.text($0, "manufacturer", "mf") },
            model: about.flatMap { Self.text($0, "model", "mdl") })
        let isKnown = sensors[topic] != nil
        if let index = sensors[topic]?.firstIndex(where: { $0.id == sensor.id }) {
            sensors[topic]?[index] = sensor
        } else if count < MQTTLimits.discovered {
            sensors[topic, default: []].append(sensor)
            count += 1
        }
        return isKnown || sensors[topic] == nil ? .nothing : .announced(topic)
    }

    /// Maps a state to a report of all sensors that it contains.
    ///
    /// A state that is older than its announcement waits for it, because the broker delivers stored messages first.
    func map(_ message: MQTTMessage, isLate: Bool) throws(Malformed) -> MessageMapper.Outcome {
        guard !message.isRetained else { return .nothing }
        guard let sensors = sensors[message.topic], let first = sensors.first else {
            return isLate ? .nothing : .unresolved
        }
        var report = Report(
            device: first.device, protocolName: "homeassistant", repeats: .payload,
            fingerprint: MessageMapper.fingerprint(message, isTimed: false))
        (report.maker, report.model) = (first.maker, first.model)
        // A sensor that has no value sends a word.
        let text = String(decoding: message.payload.prefix(64), as: UTF8.self)
        let json = sensors.allSatisfy(\.path.isEmpty) ? nil : try MessageMapper.json(message)
        var channels: [Quantity: Int] = [:]
        for sensor in sensors where sensor.device == first.device {
            let channel = (channels[sensor.quantity] ?? 0) + 1
            channels[sensor.quantity] = channel
            let number = sensor.path.isEmpty ? Double(text) : json?.at(sensor.path)?.number
            if let number { report.add(number, sensor.quantity, unit: sensor.unit, channel: channel) }
        }
        guard !report.readings.isEmpty || !report.rejected.isEmpty else { return .nothing }
        return .mapped(MappedMessage(decoded: DecodedInput(report), source: "mqtt/homeassistant", time: nil))
    }

    /// Returns a member by its name or its abbreviation.
    private static func text(_ json: JSONValue, _ name: String, _ short: String) -> String? {
        (json[name] ?? json[short])?.words
    }

    /// Returns the id of the announced device, by its first identifier.
    private static func device(_ about: JSONValue?) -> DeviceID? {
        guard let ids = about?["identifiers"] ?? about?["ids"] else { return nil }
        let first = ids.words ?? ids.array?.first { $0.words != nil }?.words
        return first.map { DeviceID("ha:\(MessageMapper.name($0))") }
    }

    /// Returns the members that a template of the form `{{ value_json.a.b }}` names, without filters for rounding; nil
    /// for any other template.
    static func path(_ template: String?) -> [String]? {
        guard let template else { return [] }
        let form = #/\s*\{\{\s*(value|value_json(?:\.\w+|\['\w+'\])+)\s*((?:\|\s*\w+\s*(?:\([^)]*\))?\s*)*)\}\}\s*/#
        guard let match = template.wholeMatch(of: form) else { return nil }
        for filter in match.2.split(separator: "|") {
            let name = filter.drop(while: \.isWhitespace).prefix { $0.isLetter || $0 == "_" }
            guard ["round", "float", "int", "is_defined"].contains(name) else { return nil }
        }
        return match.1.split { ".[]'".contains($0) }.dropFirst().map(String.init)
    }
}

extension JSONValue {
    /// The member at a path; nil if there is none.
    fileprivate func at(_ path: [String]) -> JSONValue? {
        path.reduce(JSONValue?.some(self)) { value, key in value?[key] }
    }
}
