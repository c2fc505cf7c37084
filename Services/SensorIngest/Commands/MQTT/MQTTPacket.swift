/// A message as the broker delivered it.
struct MQTTMessage: Equatable {
    let topic: String
    let payload: [UInt8]
    /// The number by which it is acknowledged; nil at QoS 0.
    var id: UInt16?
    /// Whether the broker has sent it before and got no acknowledgement (DUP).
    var isRedelivered = false
    /// Whether it is the topic's stored message rather than a new one.
    var isRetained = false
    /// Whether it waited in the broker while there was no connection.
    var hasWaited = false
}

/// A packet from the broker. MQTT 5.0, OASIS standard, chapter 3.
enum MQTTPacket: Equatable {
    case connected(isSessionPresent: Bool, reason: UInt8, text: String?, keepAlive: UInt16?)
    case subscribed(id: UInt16, reasons: [UInt8])
    case message(MQTTMessage)
    /// A message that is longer than `MQTTLimits.packetBytes`; its payload was skipped.
    case oversized(topic: String, id: UInt16?, bytes: Int)
    case pong
    case disconnected(reason: UInt8, text: String?)
}

/// The error of bytes that are no MQTT: the connection has to be closed.
struct MQTTError: Error, Equatable {
    let reason: String
}

extension MQTTPacket {
    /// The types of packets (2.1.2).
    enum Kind {
        static let connected: UInt8 = 2
        static let message: UInt8 = 3
        static let subscribed: UInt8 = 9
        static let pong: UInt8 = 13
        static let disconnected: UInt8 = 14
        static let all = [connected, message, subscribed, pong, disconnected]
    }

    /// Reads a packet after its fixed header. Throws if it is malformed or may not come from a broker.
    ///
    /// - Parameter head: The first byte of the fixed header: type and flags.
    init(head: UInt8, body: ArraySlice<UInt8>) throws(MQTTError) {
        var reader = MQTTReader(body)
        switch head >> 4 {
        case Kind.connected:
            let flags = try reader.byte()
            let reason = try reader.byte()
            // A broker that knows older versions only refuses without properties.
            let properties = reader.isAtEnd ? MQTTReader.Properties() : try reader.properties()
            self = .connected(
                isSessionPresent: flags & 1 == 1, reason: reason, text: properties.reason,
                keepAlive: properties.keepAlive)
        case Kind.message:
            let (topic, id) = try Self.address(head, &reader)
            _ = try reader.properties()
            self = .message(
                MQTTMessage(
                    topic: topic, payload: reader.rest, id: id, isRedelivered: head & 8 != 0,
                    isRetained: head & 1 != 0))
        case Kind.subscribed:
            let id = try reader.short()
            _ = try reader.properties()
            self = .subscribed(id: id, reasons: reader.rest)
        case Kind.pong: self = .pong
        case Kind.disconnected:
            let reason = reader.isAtEnd ? 0 : try reader.byte()
            self = .disconnected(reason: reason, text: reader.isAtEnd ? nil : try reader.properties().reason)
        default: throw MQTTError(reason: "a packet of type \(head >> 4)")
        }
    }

    /// Reads the topic and the number of a message.
    static func address(_ head: UInt8, _ reader: inout MQTTReader) throws(MQTTError) -> (String, UInt16?) {
        let quality = head >> 1 & 3
        guard quality < 2 else { throw MQTTError(reason: "a message of QoS \(quality)") }
        let topic = try reader.text()
        guard !topic.isEmpty else { throw MQTTError(reason: "a message without topic") }
        return (topic, quality == 1 ? try reader.short() : nil)
    }
}

/// Reads the fields of a packet. MQTT 5.0, 1.5.
struct MQTTReader {
    private var left: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        left = bytes
    }

    var isAtEnd: Bool { left.isEmpty }
    var rest: [UInt8] { Array(left) }

    mutating func byte() throws(MQTTError) -> UInt8 {
        guard let byte = left.popFirst() else { throw MQTTError(reason: "a packet that ends too early") }
        return byte
    }

    mutating func short() throws(MQTTError) -> UInt16 { UInt16(try byte()) << 8 | UInt16(try byte()) }

    mutating func text() throws(MQTTError) -> String {
        let bytes = try take(Int(try short()))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MQTTError(reason: "a text that is not UTF-8")
        }
        return text
    }

    /// Reads a number of up to four bytes, seven bits in each.
    mutating func variable() throws(MQTTError) -> Int {
        var value = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            let byte = try byte()
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw MQTTError(reason: "a length of more than four bytes")
    }

    /// The properties of a packet that the subscriber uses.
    struct Properties {
        var reason: String?
        var keepAlive: UInt16?
    }

    mutating func properties() throws(MQTTError) -> Properties {
        var found = Properties()
        var inner = MQTTReader(try take(try variable()))
        while !inner.isAtEnd {
            switch try inner.byte() {
            case 0x1F: found.reason = try inner.text()
            case 0x13: found.keepAlive = try inner.short()
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: _ = try inner.byte()
            case 0x21, 0x22, 0x23: _ = try inner.short()
            case 0x02, 0x11, 0x18, 0x27: _ = try inner.take(4)
            case 0x0B: _ = try inner.variable()
            case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C: _ = try inner.take(Int(try inner.short()))
            case 0x26:
                _ = try inner.take(Int(try inner.short()))
                _ = try inner.take(Int(try inner.short()))
            case let other: throw MQTTError(reason: "an unknown property \(other)")
            }
        }
        return found
    }

    private mutating func take(_ count: Int) throws(MQTTError) -> ArraySlice<UInt8> {
        guard left.count >= count else { throw MQTTError(reason: "a packet that ends too early") }
        defer { left = left.dropFirst(count) }
        return left.prefix(count)
    }
}
