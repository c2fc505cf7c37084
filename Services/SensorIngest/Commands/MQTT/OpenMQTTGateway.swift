import Crypto
import JSON
import Radio
import Vocabulary

/// The messages of OpenMQTTGateway and Theengs Gateway: `<base>/<gateway>/BTtoMQTT/<address>`.
///
/// With the options `message_unixtimestamp` and `message_UTCtimestamp` a message has the time of its reception.
///
/// With raw advertising data Furrow's own decoders read it. Otherwise the values are those that the gateway decoded;
/// old firmware writes them as texts.
enum OpenMQTTGateway {
    private static let fields: [(name: String, quantity: Quantity, channel: Int)] = [
        ("tempc", .temperature, 1), ("tempc1", .temperature, 1), ("tempc2", .temperature, 2),
        ("tempc3", .temperature, 3), ("tempc4", .temperature, 4), ("hum", .humidity, 1), ("batt", .battery, 1),
        ("volt", .voltage, 1), ("lux", .illuminance, 1), ("moi", .soilMoisture, 1), ("fer", .conductivity, 1),
        ("pres", .pressure, 1), ("co2", .co2, 1),
    ]

    static func map(
        _ message: MQTTMessage, gateway: String, _ decoder: AdvertisementDecoder
    ) throws(Malformed) -> MessageMapper.Outcome {
        let json = try MessageMapper.json(message)
        let time = json["unixtime"]?.time ?? json["UTCtime"]?.time
        // A stored message without a time may be of any age.
        if message.isRetained, time == nil { return .nothing }
        let last = message.topic.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        guard let address = json["id"]?.words.flatMap({ address($0.utf8) }) ?? address(last) else { return .nothing }
        let rssi = json["rssi"]?.number.flatMap { Int(exactly: $0) }
        let advertisement = Advertisement(address: address, rssi: rssi, data: data(json))
        let raw = decoder.decoded(advertisement)
        var mapped = MappedMessage(source: "mqtt/\(MessageMapper.name(gateway))", time: time)
        if let report = report(json, advertisement) {
            mapped.decoded = DecodedInput(report)
        }
        if let beacon = beacon(json, advertisement) { mapped.decoded.beacons = [beacon] }
        if !raw.reports.isEmpty || !raw.beacons.isEmpty || mapped.decoded.isEmpty { mapped.decoded = raw }
        return mapped.decoded.isEmpty ? .nothing : .mapped(mapped)
    }

    /// Returns the report of decoded values; nil if there are none.
    private static func report(_ json: JSONValue, _ advertisement: Advertisement) -> Report? {
        var values: [UInt8] = []
        let present = fields.compactMap { field in json[field.name]?.number.map { (field, $0) } }
        guard !present.isEmpty else { return nil }
        // Signal strength and distance differ for each gateway, and are no part of the identity.
        for (field, value) in present { values += Array("\(field.name)=\(value);".utf8) }
        var report = Report(
            device: advertisement.device, protocolName: "theengs", repeats: .payload,
            fingerprint: Array(SHA256.hash(values).prefix(8)), rssi: advertisement.rssi)
        (report.maker, report.model) = (json["brand"]?.words, json["model_id"]?.words)
        for (field, value) in present { report.add(value, field.quantity, unit: nil, channel: field.channel) }
        return report
    }

    /// Returns the iBeacon that the gateway decoded; nil for anything else.
    private static func beacon(_ json: JSONValue, _ advertisement: Advertisement) -> Beacon? {
        guard json["model_id"]?.words == "IBEACON", let uuid = json["uuid"]?.words.flatMap(Hex.decode),
            uuid.count == 16, let major = json["major"]?.number.flatMap({ UInt16(exactly: $0) }),
            let minor = json["minor"]?.number.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        let power = json["txpower"]?.number.flatMap { Int(exactly: $0) } ?? 0
        return Beacon(
            device: advertisement.device, kind: .iBeacon(uuid: uuid, major: major, minor: minor, power: power),
            rssi: advertisement.rssi)
    }

    /// Returns the advertising data of the raw fields: manufacturer data, and service data with a UUID of 16 bits.
    private static func data(_ json: JSONValue) -> [UInt8] {
        var data: [UInt8] = []
        func add(_ type: UInt8, _ body: [UInt8]) {
            guard (1...254).contains(body.count) else { return }
            data += [UInt8(body.count + 1), type] + body
        }
        if let maker = json["manufacturerdata"]?.words.flatMap(Hex.decode) { add(0xFF, maker) }
        if let service = json["servicedata"]?.words.flatMap(Hex.decode),
            let uuid = json["servicedatauuid"]?.words.flatMap(shortUUID)
        {
            add(0x16, [UInt8(uuid & 0xFF), UInt8(uuid >> 8)] + service)
        }
        return data
    }

    /// Returns a UUID of 16 bits, written alone (`0xfcd2`) or as part of the Bluetooth base UUID.
    private static func shortUUID(_ text: String) -> UInt16? {
        let digits = text.lowercased().replacing("0x", with: "")
        if digits.utf8.count == 4 { return UInt16(digits, radix: 16) }
        guard digits.hasPrefix("0000"), digits.hasSuffix("-0000-1000-8000-00805f9b34fb") else { return nil }
        return UInt16(digits.dropFirst(4).prefix(4), radix: 16)
    }

    /// Returns the address of twelve hexadecimal digits, with or without colons.
    private static func address(_ text: some Sequence<UInt8>) -> UInt64? {
        var address: UInt64 = 0
        var digits = 0
        for byte in text where byte != UInt8(ascii: ":") {
            guard digits < 12, let digit = Hex.value(of: byte) else { return nil }
            address = address << 4 | UInt64(digit)
            digits += 1
        }
        return digits == 12 ? address : nil
    }
}
