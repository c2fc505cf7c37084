import JSON
import Radio
import Vocabulary

/// The messages of a Ruuvi Gateway: `<prefix>/<gateway>/<tag>` with the raw advertisement and its time of reception.
enum RuuviGateway {
    static func map(
        _ message: MQTTMessage, tag: UInt64, gateway: String, _ decoder: AdvertisementDecoder
    ) throws(Malformed) -> MessageMapper.Outcome {
        let json = try MessageMapper.json(message)
        guard let text = json["data"]?.words else { return .nothing }
        guard let data = Hex.decode(text), data.count <= SensorLimits.keptAdvertBytes else {
            throw Malformed("data: expected up to \(SensorLimits.keptAdvertBytes) bytes in hexadecimal", at: 0)
        }
        let time = json["ts"]?.time
        // A stored message without a time may be of any age.
        if message.isRetained, time == nil { return .nothing }
        let rssi = json["rssi"]?.number.flatMap { Int(exactly: $0) }
        return .mapped(
            MappedMessage(
                decoded: decoder.decoded(Advertisement(address: tag, rssi: rssi, data: data)),
                source: "mqtt/\(MessageMapper.name(gateway.lowercased()))", time: time))
    }

    /// Returns a Bluetooth address that is written with colons: `C8:25:2D:8E:9C:2C`; nil for anything else.
    static func address(_ text: String) -> UInt64? {
        let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
        guard bytes.count == 6, bytes.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        return UInt64(bytes.joined(), radix: 16)
    }
}

extension AdvertisementDecoder {
    /// Returns what an advertisement contains, and why if that is nothing.
    func decoded(_ advertisement: Advertisement) -> DecodedInput {
        var decoded = decode(advertisement)
        if let miss = Self.miss(advertisement, decoded) { decoded.misses = [miss] }
        return decoded
    }
}
