import JSON
import Radio
import Vocabulary

/// The telemetry of Tasmota: `tele/<device>/SENSOR`, one object for each sensor of the device.
///
/// Its time has no zone, so the time of reception counts. Sensors of one quantity are channels in the order of the
/// message.
enum Tasmota {
    private static let fields: [String: Quantity] = [
        "Temperature": .temperature, "Humidity": .humidity, "DewPoint": .dewPoint, "Pressure": .pressure,
        "Illuminance": .illuminance, "Moisture": .soilMoisture, "CarbonDioxide": .co2, "pH": .ph, "EC": .conductivity,
    ]

    static func map(_ message: MQTTMessage, _ levels: [String]) throws(Malformed) -> MessageMapper.Outcome {
        if message.isRetained { return .nothing }
        let json = try MessageMapper.json(message)
        guard let object = json.object else { return .nothing }
        // `%prefix%/%topic%/` is the default; `%topic%/%prefix%/` is usual, too.
        let name = levels.dropLast().filter { $0 != "tele" }.joined(separator: "-")
        var report = Report(
            device: DeviceID("tasmota:\(MessageMapper.name(name))"), protocolName: "tasmota", repeats: .payload,
            fingerprint: MessageMapper.fingerprint(message, isTimed: false))
        report.maker = "Tasmota"
        var channels: [Quantity: Int] = [:]
        for (_, sensor) in object {
            guard let sensor = sensor.object else { continue }
            for (field, value) in sensor {
                guard let quantity = fields[field], let number = value.number else { continue }
                let channel = (channels[quantity] ?? 0) + 1
                channels[quantity] = channel
                report.add(number, quantity, unit: unit(of: quantity, json), channel: channel)
            }
        }
        guard !report.readings.isEmpty || !report.rejected.isEmpty else { return .nothing }
        return .mapped(MappedMessage(decoded: DecodedInput(report), source: "mqtt/tasmota", time: nil))
    }

    private static func unit(of quantity: Quantity, _ json: JSONValue) -> String? {
        switch quantity {
        case .temperature, .dewPoint: json["TempUnit"]?.words
        case .pressure: json["PressureUnit"]?.words
        default: nil
        }
    }
}
