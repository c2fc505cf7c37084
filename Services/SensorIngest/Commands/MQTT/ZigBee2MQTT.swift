import JSON
import Radio
import Vocabulary

/// The messages of zigbee2mqtt below one base topic.
///
/// `<base>/bridge/devices` lists the devices: their IEEE addresses, and what they expose in which unit. A state
/// `<base>/<name>` repeats the last value of everything that the device reported. `KnownValues` decides which of them
/// are recorded.
struct ZigBee2MQTT {
    static let format = "zigbee2mqtt"

    /// A device of the list.
    struct Device: Equatable {
        let id: DeviceID
        var maker: String?
        var model: String?
        /// The unit of each property that the device exposes.
        var units: [String: String] = [:]
    }

    let base: String
    /// The devices by name; nil before the list has arrived.
    private(set) var devices: [String: Device]?
    private(set) var offline: Set<String> = []
    private var recent: [DeviceID: KnownValues] = [:]

    init(base: String) {
        self.base = base
    }

    /// - Parameter isLate: Whether the message has waited for the list long enough.
    mutating func map(
        _ message: MQTTMessage, at now: Instant, isLate: Bool, known: (DeviceID) -> KnownValues?
    ) throws(Malformed) -> MessageMapper.Outcome {
        let name = String(message.topic.dropFirst(base.count + 1))
        if name == "bridge/devices" {
            try learn(try MessageMapper.json(message))
            return .listed(base)
        }
        if name.hasPrefix("bridge/") || Self.isCommand(name) { return .nothing }
        if name.hasSuffix("/availability") {
            setAvailable(String(name.dropLast(13)), message.payload)
            return .nothing
        }
        let json = try MessageMapper.json(message)
        guard json.kind == .object else { return .nothing }
        guard let device = device(name, json, isLate) else {
            guard isLate || devices != nil else { return .unresolved }
            // Groups and devices without measurements are in no list either.
            guard Self.measures(json) else { return .nothing }
            throw Malformed("\(base)/bridge/devices does not list \(MessageMapper.name(name))", at: 0)
        }
        let seen = json["last_seen"]?.time
        // A stored state without a time may be of any age.
        if message.isRetained, seen == nil { return .nothing }
        var report = Report(
            device: device.id, protocolName: Self.format, repeats: .payload,
            fingerprint: MessageMapper.fingerprint(message, isTimed: seen != nil), lqi: json["linkquality"]?.quality)
        (report.maker, report.model) = (device.maker, device.model)
        Self.read(json, device.units, into: &report)
        var values = recent[device.id] ?? known(device.id) ?? KnownValues()
        values.suppress(&report, seen: seen, at: now, isRedelivered: message.isRedelivered)
        if recent.count >= MQTTLimits.devices { recent = [:] }
        recent[device.id] = values
        guard !report.readings.isEmpty || !report.rejected.isEmpty else { return .nothing }
        return .mapped(
            MappedMessage(
                decoded: DecodedInput(report), source: "mqtt/\(MessageMapper.name(base))", time: seen))
    }

    /// Reads `bridge/devices`. Throws if it is no list.
    private mutating func learn(_ json: JSONValue) throws(Malformed) {
        guard let list = json.array else { throw Malformed("\(base)/bridge/devices is no list", at: 0) }
        var devices: [String: Device] = [:]
        for item in list.prefix(MQTTLimits.devices) {
            guard let address = item["ieee_address"]?.words, let id = Self.id(address),
                item["type"]?.words != "Coordinator"
            else { continue }
            var device = Device(id: id, maker: item["manufacturer"]?.words, model: item["model_id"]?.words)
            if let exposes = item["definition"]?["exposes"] { Self.collect(exposes, into: &device.units) }
            devices[item["friendly_name"]?.words ?? address] = device
        }
        self.devices = devices
        offline.formIntersection(devices.keys)
    }

    /// Collects the units of exposed properties; composite ones contain others.
    private static func collect(_ exposes: JSONValue, into units: inout [String: String]) {
        guard let list = exposes.array else { return }
        for feature in list {
            if let property = feature["property"]?.words, let unit = feature["unit"]?.words { units[property] = unit }
            if let inner = feature["features"] { collect(inner, into: &units) }
        }
    }

    /// Returns the device of a state: by the list, by its information in the message, or by a name that is an address.
    private func device(_ name: String, _ json: JSONValue, _ isLate: Bool) -> Device? {
        if let device = devices?[name] { return device }
        let inside = json["device"]
        guard let id = (inside?["ieeeAddr"]?.words ?? inside?["ieee_address"]?.words).flatMap(Self.id) ?? Self.id(name)
        else { return nil }
        return devices?.values.first { $0.id == id } ?? (isLate || devices != nil ? Device(id: id) : nil)
    }

    private mutating func setAvailable(_ name: String, _ payload: [UInt8]) {
        // Either `{"state":"offline"}` or, in older versions, `offline`.
        let text = String(decoding: payload.prefix(64), as: UTF8.self)
        if text.contains("offline") {
            if offline.count < MQTTLimits.devices { offline.insert(name) }
        } else {
            offline.remove(name)
        }
    }

    private static func isCommand(_ name: String) -> Bool {
        name.hasSuffix("/set") || name.hasSuffix("/get") || name.contains("/set/") || name.contains("/get/")
    }

    /// Returns the id of an IEEE address: `0x00124b001e17efa8`.
    static func id(_ address: String) -> DeviceID? {
        guard address.hasPrefix("0x"), address.utf8.count == 18, let number = UInt64(address.dropFirst(2), radix: 16)
        else { return nil }
        return .zigbee(number)
    }

    /// The properties that are measurements, by their names without the number of an endpoint.
    private static let quantities: [String: Quantity] = [
        "temperature": .temperature, "humidity": .humidity, "pressure": .pressure, "illuminance": .illuminance,
        "illuminance_lux": .illuminance, "soil_moisture": .soilMoisture, "soil_humidity": .soilMoisture,
        "soil_temperature": .temperature, "battery": .battery, "voltage": .voltage, "co2": .co2, "ph": .ph,
        "ec": .conductivity, "dew_point": .dewPoint, "leaf_wetness": .leafWetness, "rain": .rain,
    ]

    private static func measures(_ json: JSONValue) -> Bool {
        json.object?.contains { $0.value.number != nil && quantity(of: $0.key) != nil } ?? false
    }

    private static func read(_ json: JSONValue, _ units: [String: String], into report: inout Report) {
        guard let object = json.object else { return }
        for (property, value) in object {
            guard let number = value.number, let (quantity, channel) = quantity(of: property) else { continue }
            // Old versions send the same illuminance twice, the first time as a logarithm.
            if property == "illuminance", json["illuminance_lux"] != nil { continue }
            report.add(number, quantity, unit: units[property] ?? usual(quantity, number), channel: channel)
        }
    }

    /// Returns what a property measures; `temperature_2` and `temperature_l2` are those of a second endpoint.
    private static func quantity(of property: String) -> (Quantity, Int)? {
        if let quantity = quantities[property] { return (quantity, 1) }
        guard let end = property.lastIndex(of: "_"), let quantity = quantities[String(property[..<end])] else {
            return nil
        }
        let number = property[property.index(after: end)...]
        return Int(number.hasPrefix("l") ? number.dropFirst() : number).map { (quantity, $0) }
    }

    /// Returns the unit of a value whose device exposes none. Batteries are in millivolts. Some converters send
    /// kilopascals: no place on Earth has that few hectopascals.
    private static func usual(_ quantity: Quantity, _ value: Double) -> String? {
        switch quantity {
        case .voltage: "mV"
        case .pressure where (30..<130).contains(value): "kPa"
        default: nil
        }
    }
}

extension JSONValue {
    fileprivate var quality: Int? { number.flatMap { (0...255).contains($0) ? Int($0) : nil } }
}
