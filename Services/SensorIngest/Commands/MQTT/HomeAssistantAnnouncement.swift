import Events
import JSON
import Vocabulary

/// A message to publish.
struct MQTTPublication: Equatable {
    let topic: String
    let payload: [UInt8]
    /// Whether the broker stores it for later subscribers. An empty one that is stored withdraws the one before.
    var isRetained = false
}

/// The announcement of the farm's measuring points to Home Assistant, and their values and alarms (Home Assistant,
/// "MQTT Discovery").
///
/// Each quantity of a point is an entity, and so is whether an alarm is on. Announcements are stored by the broker,
/// values are not: Home Assistant receives them again when it starts, so that none of them looks newer than it is.
/// Pure: what is published depends on the points and on what was published before.
struct HomeAssistantAnnouncement {
    /// The name of the maker by which Furrow recognises its own announcements.
    static let maker = "Furrow"

    /// The first level of the topics of announcements: `homeassistant`.
    let prefix: String
    /// The name of this farm server, with which the topics of values begin.
    let node: String

    /// What was announced on this connection, by topic.
    private var announced: [String: [UInt8]] = [:]
    /// The time of the newest published report, and the published alarms, by point.
    private var reports: [PointID: Instant] = [:]
    private var alarms: [PointID: [UInt8]] = [:]
    /// The minutes after which Home Assistant takes a point's values for lost.
    private var expiries: [PointID: Int] = [:]
    /// The point after which the next part of a pass over all points begins; nil at its beginning.
    private(set) var after: String?
    /// The points of this pass.
    private var seen: Set<PointID> = []
    /// Announcements of this server that the broker has stored.
    private var stored: Set<String> = []

    init(prefix: String, node: String) {
        self.prefix = prefix
        self.node = node
    }

    /// Returns the name of a farm server by its client id, as a level of topics that Home Assistant accepts.
    static func node(_ client: String) -> String {
        String(decoding: client.utf8.map { Self.isAllowed($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The topic on which Home Assistant says that it has started.
    var birthTopic: String { "\(prefix)/status" }

    /// The topic on which the broker says that this farm server has gone.
    var statusTopic: String { "\(node)/status" }

    /// The filter of this server's own announcements.
    var ownTopics: String { "\(prefix)/+/\(node)/+/config" }

    var isHere: MQTTPublication {
        MQTTPublication(topic: statusTopic, payload: Array("online".utf8), isRetained: true)
    }

    /// Begins from scratch, because the broker or Home Assistant was started.
    mutating func restart() { self = HomeAssistantAnnouncement(prefix: prefix, node: node) }

    /// Takes a message of the broker. Returns whether it was about announcements.
    mutating func take(_ topic: String, _ payload: [UInt8]) -> Bool {
        if topic == birthTopic {
            if payload == Array("online".utf8) { restart() }
            return true
        }
        guard point(of: topic) != nil else { return false }
        if !payload.isEmpty, stored.count < MQTTLimits.announcements { stored.insert(topic) }
        return true
    }

    /// Returns what is new of the next points, and at the end of a pass the withdrawals of points that exist no longer.
    ///
    /// - Parameter last: The last of these points if further ones follow; nil at the end of the pass.
    mutating func publish(
        _ points: [AnnouncedPoint], upTo last: String? = nil, at now: Instant
    ) -> [MQTTPublication] {
        var publications = points.flatMap { publish($0, at: now) }
        after = last
        if last == nil { publications += withdraw() }
        return publications
    }

    private mutating func publish(_ point: AnnouncedPoint, at now: Instant) -> [MQTTPublication] {
        var publications: [MQTTPublication] = []
        seen.insert(point.point)
        expiries[point.point] = Self.expiry(point.patience, after: expiries[point.point])
        for reading in point.readings where reading.quantity.isReported {
            announce(Entity(reading.quantity), of: point, &publications)
        }
        announce(.alarm, of: point, &publications)
        let details = Self.details(point.alarms)
        if alarms[point.point] != details {
            alarms[point.point] = details
            publications.append(MQTTPublication(topic: topic(point.point, "alarm"), payload: details))
        }
        guard point.isPresent(at: now), reports[point.point] != point.last else { return publications }
        reports[point.point] = point.last
        for reading in point.readings where reading.quantity.isReported {
            publications.append(
                MQTTPublication(
                    topic: topic(point.point, reading.quantity.rawValue), payload: Self.number(reading.value)))
        }
        return publications
    }

    /// Returns the withdrawals of points that were in no part of this pass.
    private mutating func withdraw() -> [MQTTPublication] {
        defer { seen = [] }
        let gone = stored.union(announced.keys).filter { point(of: $0).map { !seen.contains($0) } ?? false }
        for topic in gone {
            stored.remove(topic)
            announced[topic] = nil
        }
        return gone.sorted().map { MQTTPublication(topic: $0, payload: [], isRetained: true) }
    }

    private mutating func announce(_ entity: Entity, of point: AnnouncedPoint, _ into: inout [MQTTPublication]) {
        let topic = "\(prefix)/\(entity.component)/\(node)/\(point.point)_\(entity.name)/config"
        let payload = configuration(entity, of: point)
        guard announced[topic] != payload else { return }
        announced[topic] = payload
        into.append(MQTTPublication(topic: topic, payload: payload, isRetained: true))
    }

    private func configuration(_ entity: Entity, of point: AnnouncedPoint) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("name", entity.title)
            json.field("unique_id", "\(node)_\(point.point)_\(entity.name)")
            json.field("state_topic", topic(point.point, entity.name))
            json.field("availability_topic", statusTopic)
            json.field("device_class", ifPresent: entity.deviceClass)
            json.field("unit_of_measurement", ifPresent: entity.unit)
            json.field("state_class", ifPresent: entity.stateClass)
            if entity == .alarm {
                json.field("value_template", "{{ value_json.state }}")
                json.field("json_attributes_topic", topic(point.point, entity.name))
            } else {
                json.field("expire_after", (expiries[point.point] ?? 0) * 60)
                if entity.component == "binary_sensor" {
                    json.field("payload_on", "1")
                    json.field("payload_off", "0")
                }
            }
            json.field(
                "device",
                object: { json in
                    json.field("identifiers", ["\(node)_\(point.point)"])
                    json.field("name", point.title)
                    json.field("manufacturer", ifPresent: point.maker)
                    json.field("model", ifPresent: point.model)
                })
            json.field("origin", object: { json in json.field("name", Self.maker) })
        }
        return json.bytes
    }

    /// Returns minutes that cover `patience` in seconds. The learnt interval varies a little with each report, so the
    /// last number remains as long as it covers the patience and not twice as much.
    private static func expiry(_ patience: Double, after last: Int?) -> Int {
        let minutes = Int((patience / 60).rounded(.up))
        guard let last, minutes <= last, last <= 2 * minutes else { return minutes }
        return last
    }

    /// Returns whether an alarm is on, and the alarms that are.
    private static func details(_ alarms: [AlarmRow]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("state", alarms.isEmpty ? "OFF" : "ON")
            json.field(
                "alarms",
                array: { json in
                    for alarm in alarms.sorted(by: { $0.key < $1.key }) {
                        json.object { json in
                            json.field("quantity", alarm.quantity)
                            json.field("value", alarm.value)
                            json.field("limit", alarm.limit)
                            json.field("unit", alarm.quantity.unit)
                            json.field("raised", alarm.raised)
                            json.field("acknowledged", alarm.handling.acknowledged != nil)
                        }
                    }
                })
        }
        return json.bytes
    }

    private static func number(_ value: Double) -> [UInt8] {
        var json = JSONWriter()
        json.number(value)
        return json.bytes
    }

    private func topic(_ point: PointID, _ name: String) -> String { "\(node)/\(point)/\(name)" }

    /// Returns the point of one of this server's announcements; nil for any other topic.
    private func point(of topic: String) -> PointID? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 5, levels[0] == prefix, levels[2] == node, levels[4] == "config" else { return nil }
        // No quantity contains an underscore, which the name of a point may.
        return levels[3].lastIndex(of: "_").map { PointID(String(levels[3][..<$0])) }
    }
}

extension HomeAssistantAnnouncement {
    /// An entity of a point: a quantity, or whether an alarm is on.
    fileprivate struct Entity: Equatable {
        var component = "sensor"
        let name: String
        var deviceClass: String?
        var unit: String?
        var stateClass: String?

        static let alarm = Entity(component: "binary_sensor", name: "alarm", deviceClass: "problem")

        private init(component: String, name: String, deviceClass: String?) {
            (self.component, self.name, self.deviceClass) = (component, name, deviceClass)
        }

        init(_ quantity: Quantity) {
            name = quantity.rawValue
            switch quantity.probe.quantity {
            case .contact: (component, deviceClass) = ("binary_sensor", "opening")
            case .leak: (component, deviceClass) = ("binary_sensor", "moisture")
            default:
                (deviceClass, unit) = Self.meaning(quantity.probe.quantity)
                stateClass = quantity == .energy ? "total_increasing" : "measurement"
            }
        }

        var title: String {
            let words = name.split(separator: "-").joined(separator: " ")
            return words.prefix(1).uppercased() + words.dropFirst()
        }

        /// Returns Home Assistant's device class of a quantity, and the unit in its notation.
        private static func meaning(_ quantity: Quantity) -> (deviceClass: String?, unit: String?) {
            switch quantity {
            case .temperature, .dewPoint: ("temperature", "°C")
            case .humidity: ("humidity", "%")
            case .pressure: ("atmospheric_pressure", "hPa")
            case .illuminance: ("illuminance", "lx")
            case .soilMoisture: ("moisture", "%")
            case .conductivity: (nil, "µS/cm")
            case .battery: ("battery", "%")
            case .voltage: ("voltage", "V")
            case .co2: ("carbon_dioxide", "ppm")
            case .ph: ("ph", nil)
            case .rssi: ("signal_strength", "dBm")
            case .rain: ("precipitation", "mm")
            case .accelerationX, .accelerationY, .accelerationZ: (nil, "m/s²")
            case .pm25: ("pm25", "µg/m³")
            case .pm10: ("pm10", "µg/m³")
            case .voc: ("volatile_organic_compounds", "µg/m³")
            case .level: ("distance", "mm")
            case .leafWetness, .fillLevel: (nil, "%")
            case .volume: ("volume_storage", "L")
            case .power: ("power", "W")
            case .energy: ("energy", "kWh")
            default: (nil, nil)
            }
        }
    }
}
