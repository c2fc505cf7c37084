import Crypto
import JSON
import Radio
import Vocabulary

/// The meaning of one message.
struct MappedMessage: Equatable {
    var decoded = DecodedInput()
    /// The name of the receiver: `mqtt/<gateway>`.
    var source: String
    /// The time of measurement; nil if the message has none.
    var time: Instant?
}

/// Maps messages to reports by the shape of their topics. Pure: what it knows comes from earlier messages.
struct MessageMapper {
    /// The result of mapping a message.
    enum Outcome: Equatable {
        case mapped(MappedMessage)
        /// The message carries no measurement.
        case nothing
        /// The message is of a device that no list or announcement names yet.
        case unresolved
        /// A sensor was announced; the topic of its state is to be subscribed to.
        case announced(String)
        /// The list of the devices below this base topic has arrived.
        case listed(String)
    }

    private var zigbee: [String: ZigBee2MQTT] = [:]
    private var discovered = HomeAssistantDiscovery()
    private var decoder: AdvertisementDecoder

    init(topics: [String], keys: [DeviceID: [UInt8]]) {
        decoder = AdvertisementDecoder(keys: keys, commonKey: nil)
        for filter in topics where filter.hasSuffix("/#") {
            let base = String(filter.dropLast(2))
            zigbee[base] = ZigBee2MQTT(base: base)
        }
    }

    /// Takes the keys of devices that encrypt.
    mutating func pair(_ keys: [DeviceID: [UInt8]]) { decoder.keys = keys }

    /// The devices that zigbee2mqtt reports as offline.
    var offline: Int { zigbee.values.reduce(0) { $0 + $1.offline.count } }

    /// Returns the result of a message. Throws if its payload is not what its topic announces.
    ///
    /// - Parameters:
    ///   - now: The time of reception.
    ///   - isLate: Whether the message has waited for a list of devices long enough.
    ///   - known: Returns the newest recorded values of a device.
    mutating func map(
        _ message: MQTTMessage, at now: Instant, isLate: Bool = false, known: (DeviceID) -> KnownValues?
    ) throws(Malformed) -> Outcome {
        let levels = message.topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if levels.count >= 3, levels[levels.count - 2] == "BTtoMQTT" {
            return try OpenMQTTGateway.map(message, gateway: levels[levels.count - 3], decoder)
        }
        if levels.count >= 3, let tag = RuuviGateway.address(levels[levels.count - 1]),
            RuuviGateway.address(levels[levels.count - 2]) != nil
        {
            return try RuuviGateway.map(message, tag: tag, gateway: levels[levels.count - 2], decoder)
        }
        if levels.last == "SENSOR", levels.contains("tele") { return try Tasmota.map(message, levels) }
        if levels.last == "config", levels.contains("sensor") { return try discovered.learn(message, besides: self) }
        for base in zigbee.keys where message.topic.hasPrefix(base + "/") {
            return try zigbee[base]?.map(message, at: now, isLate: isLate, known: known) ?? .nothing
        }
        return try discovered.map(message, isLate: isLate)
    }

    /// Whether a topic is understood without an announcement.
    func understands(_ topic: String) -> Bool {
        let levels = topic.split(separator: "/")
        return zigbee.keys.contains { topic.hasPrefix($0 + "/") } || levels.dropLast().last == "BTtoMQTT"
            || levels.last == "SENSOR"
    }

    /// Returns the JSON of a message, whose error names the topic.
    static func json(_ message: MQTTMessage) throws(Malformed) -> JSONValue {
        do {
            return try JSONValue.parse(message.payload)
        } catch {
            throw Malformed(
                "the message of \(message.topic.prefix(bytes: MQTTLimits.reasonBytes)) \(error.message)", at: 0)
        }
    }

    /// Returns what all copies of a message have in common.
    ///
    /// A message without a time of its own is identified by its number, too: the next one may have the same values.
    static func fingerprint(_ message: MQTTMessage, isTimed: Bool) -> [UInt8] {
        let digest = SHA256.hash(Array(message.topic.utf8), [0], message.payload).prefix(8)
        guard !isTimed, let id = message.id else { return Array(digest) }
        return digest + [UInt8(id >> 8), UInt8(id & 0xFF)]
    }

    /// Returns a text that is safe in ids: other characters than letters, digits, dots, hyphens and underscores become
    /// hyphens. A long text is cut and ends in a digest of all of it, so that two long texts have two names.
    static func name(_ text: some StringProtocol) -> String {
        if text.utf8.count > MQTTLimits.nameCharacters {
            let digest = Hex.encode(Array(SHA256.hash(Array(text.utf8)).prefix(4)))
            return "\(name(String(decoding: text.utf8.prefix(MQTTLimits.nameCharacters - 9), as: UTF8.self)))-\(digest)"
        }
        let bytes = text.utf8.prefix(MQTTLimits.nameCharacters).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "-")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// A number, also one that is written as a text; nil for anything else.
    var number: Double? {
        do {
            switch kind {
            case .integer, .double: return try double()
            case .string: return Double(try string())
            case .null, .bool, .array, .object: return nil
            }
        } catch {
            return nil
        }
    }

    /// A text; nil for anything else.
    var words: String? {
        do { return kind == .string ? try string() : nil } catch { return nil }
    }

    /// A time: RFC 3339, or seconds or milliseconds since 1970; nil for anything else, and for times before 2010, which
    /// come from clocks that were not set.
    var time: Instant? {
        let time = words.flatMap { Instant($0) } ?? number.flatMap(Instant.init(secondsOrMilliseconds:))
        return time.flatMap { $0.isOfSetClock ? $0 : nil }
    }
}
