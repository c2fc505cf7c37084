import JSON
import Radio
import Vocabulary

/// The telemetry of Tasmota: `tele/<device>/SENSOR`, one object for each sensor of the device.
///
/// Its time has no zone, so the time of reception counts. Each sensor is a device of its own, named by its `Id` or else
/// by its key: a probe that fails is absent from the message, and the places of the others change.
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
        var decoded = DecodedInput()
        for (key, sensor) in object {
            guard let values = sensor.object else { continue }
            let probe = sensor["Id"]?.words.flatMap { $0.isEmpty ? nil : $0 } ?? key
            var report = Report(
                device: DeviceID("tasmota:\(MessageMapper.name(name)):\(MessageMapper.name(probe))"),
                protocolName: "tasmota", repeats: .payload,
                fingerprint: MessageMapper.fingerprint(message, isTimed: false))
            report.maker = "Tasmota"
            for (field, value) in values {
                guard let quantity = fields[field], let number = value.number else { continue }
                report.add(number, quantity, unit: unit(of: quantity, json))
            }
            if !report.readings.isEmpty || !report.rejected.isEmpty { decoded.reports.append(report) }
        }
        guard !decoded.isEmpty else { return .nothing }
        return .mapped(MappedMessage(decoded: decoded, source: "mqtt/tasmota", time: nil))
    }

    private static func unit(of quantity: Quantity, _ json: JSONValue) -> String? {
        switch quantity {
        case .temperature, .dewPoint: json["TempUnit"]?.words
        case .pressure: json["PressureUnit"]?.words
        default: nil
        }
    }
}
