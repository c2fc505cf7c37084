import JSON
import Radio
import Vocabulary

/// Sensors that announce themselves as Home Assistant's MQTT discovery defines: ESPHome and many others.
///
/// An announcement names the quantity, the unit and the topic of the state. The state is a number, or a member of a
/// JSON object that the template names. Announcements of gateways whose messages are understood anyway are ignored.
///
/// Sensors of one quantity that belong to one device, such as a fridge's and a freezer's probe, are devices of their
/// own. A sensor's device follows from its announcement alone, so it is the same in any order of announcements.
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
        // A farm server's own points, whose values it has already.
        let origin = json["origin"] ?? json["o"]
        if origin?["name"]?.words == HomeAssistantAnnouncement.maker { return .nothing }
        guard let quantity = Self.text(json, "device_class", "dev_cla").flatMap({ Self.quantities[$0] }),
            let stated = Self.text(json, "state_topic", "stat_t"),
            let path = Self.path(Self.text(json, "value_template", "val_tpl"))
        else { return .nothing }
        let topic = Self.topic(stated, base: Self.text(json, "~", "~") ?? "")
        guard MQTTRequest.isSubscribable(topic) else {
            throw Malformed(
                "state_topic of \(MessageMapper.name(message.topic)): expected 1 to "
                    + "\(MQTTLimits.stateTopicBytes) bytes, at most \(MQTTLimits.topicLevels) levels, "
                    + "no wildcards or control characters, no $ at the start",
                at: 0)
        }
        guard !mapper.understands(topic) else { return .nothing }
        let about = json["device"] ?? json["dev"]
        let sensor = Sensor(
            id: message.topic, device: Self.device(about, of: message.topic, stateTopic: topic, quantity),
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
        guard let sensors = sensors[message.topic] else { return isLate ? .nothing : .unresolved }
        // A sensor that has no value sends a word.
        let text = String(decoding: message.payload.prefix(64), as: UTF8.self)
        let json = sensors.allSatisfy(\.path.isEmpty) ? nil : try MessageMapper.json(message)
        var decoded = DecodedInput()
        for sensor in sensors {
            let number = sensor.path.isEmpty ? Double(text) : json?.at(sensor.path)?.number
            guard let number else { continue }
            let index = decoded.reports.firstIndex { $0.device == sensor.device }
            if index == nil {
                var report = Report(
                    device: sensor.device, protocolName: "homeassistant", repeats: .payload,
                    fingerprint: MessageMapper.fingerprint(message, isTimed: false))
                (report.maker, report.model) = (sensor.maker, sensor.model)
                decoded.reports.append(report)
            }
            decoded.reports[index ?? decoded.reports.count - 1].add(number, sensor.quantity, unit: sensor.unit)
        }
        guard !decoded.isEmpty else { return .nothing }
        return .mapped(MappedMessage(decoded: decoded, source: "mqtt/homeassistant", time: nil))
    }

    /// Returns a member by its name or its abbreviation.
    private static func text(_ json: JSONValue, _ name: String, _ short: String) -> String? {
        (json[name] ?? json[short])?.words
    }

    /// Returns a topic whose `~` at the start or the end stands for the base.
    private static func topic(_ stated: String, base: String) -> String {
        guard stated.utf8.count <= MQTTLimits.stateTopicBytes, base.utf8.count <= MQTTLimits.stateTopicBytes else {
            return stated
        }
        if stated.hasPrefix("~") { return base + stated.dropFirst() }
        return stated.hasSuffix("~") ? stated.dropLast() + base : stated
    }

    /// Returns the id of a sensor's device: the first identifier of the announced device, and the part of the sensor's
    /// object id that is not its quantity.
    ///
    /// The object ids `temperature` and `humidity` give the device itself, `fridge_temperature` and `fridge_humidity`
    /// its device `fridge`. Any other object id gives a device of this sensor only, so no two object ids of one
    /// quantity share a device.
    private static func device(
        _ about: JSONValue?, of announcement: String, stateTopic: String, _ quantity: Quantity
    ) -> DeviceID {
        let ids = about?["identifiers"] ?? about?["ids"]
        let first = ids?.words ?? ids?.array?.first { $0.words != nil }?.words
        let device = "ha:\(MessageMapper.name(first ?? stateTopic))"
        let object = announcement.split(separator: "/").dropLast().last ?? ""
        let word = quantity == .soilMoisture ? "moisture" : quantity.rawValue
        if object == word { return DeviceID(device) }
        guard object.hasSuffix("_\(word)"), object.utf8.count > word.utf8.count + 1 else {
            return DeviceID("\(device):\(MessageMapper.name(object)):\(word)")
        }
        return DeviceID("\(device):\(MessageMapper.name(object.dropLast(word.count + 1)))")
    }

    /// Returns the members that a template of the form `{{ value_json.a.b }}` names, without filters for rounding; nil
    /// for any other template.
    static func path(_ template: String?) -> [String]? {
        guard let template else { return [] }
        return template.utf8.count <= MQTTLimits.templateBytes ? ValueTemplate.path(template) : nil
    }
}

extension JSONValue {
    /// The member at a path; nil if there is none.
    fileprivate func at(_ path: [String]) -> JSONValue? {
        path.reduce(JSONValue?.some(self)) { value, key in value?[key] }
    }
}
