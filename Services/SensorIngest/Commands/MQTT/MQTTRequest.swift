/// The packets that a subscriber sends. MQTT 5.0, chapter 3.
package enum MQTTRequest {
    /// A filter of topics.
    struct Filter: Equatable {
        let topics: String
        /// Whether the stored message of each topic is wanted, too.
        var wantsRetained = true
        /// Whether messages are acknowledged (QoS 1). Others are delivered even if all that may be unacknowledged is.
        var isAcknowledged = true

        /// The subscription options (3.8.3.1).
        fileprivate var options: UInt8 { (isAcknowledged ? 1 : 0) | (wantsRetained ? 0 : 0x20) }
    }

    /// Returns the packet that opens a session, or continues the one that the broker has stored under this client id.
    ///
    /// - Parameters:
    ///   - seconds: How long the broker stores the session while there is no connection.
    ///   - farewell: What the broker publishes and stores when the connection is lost (the will).
    static func connect(
        client: String, user: String?, password: String?, keepingSession seconds: UInt32 = MQTTLimits.sessionSeconds,
        farewell: MQTTPublication? = nil
    ) -> [UInt8] {
        // Bit 1 would discard the messages that wait in the session. Bits 2 and 5: there is a will, and it is stored.
        let flags: UInt8 =
            (user == nil ? 0 : 0x80) | (password == nil ? 0 : 0x40) | (farewell == nil ? 0 : 0x24)
        let properties: [UInt8] =
            [0x11] + bytes(UInt16(seconds >> 16)) + bytes(UInt16(seconds & 0xFFFF))
            + [0x21] + bytes(UInt16(MQTTLimits.inFlight))
        var body = text("MQTT") + [5, flags] + bytes(UInt16(MQTTLimits.keepAliveSeconds))
        body += variable(properties.count) + properties + text(client)
        if let farewell {
            body += [0] + text(farewell.topic) + bytes(UInt16(farewell.payload.count)) + farewell.payload
        }
        for field in [user, password] { if let field { body += text(field) } }
        return packet(0x10, body)
    }

    /// Returns the packet that subscribes to filters.
    static func subscribe(_ filters: [Filter], id: UInt16) -> [UInt8] {
        packet(0x82, bytes(id) + [0] + filters.flatMap { text($0.topics) + [$0.options] })
    }

    /// Returns the packet that acknowledges a message: the broker forgets it.
    static func acknowledge(_ id: UInt16) -> [UInt8] { [0x40, 2] + bytes(id) }

    /// Returns the packet that publishes a message without an acknowledgement (QoS 0).
    static func publish(_ message: MQTTPublication) -> [UInt8] {
        packet(0x30 | (message.isRetained ? 1 : 0), text(message.topic) + [0] + message.payload)
    }

    static let ping: [UInt8] = [0xC0, 0]
    static let disconnect: [UInt8] = [0xE0, 0]

    private static func packet(_ head: UInt8, _ body: [UInt8]) -> [UInt8] { [head] + variable(body.count) + body }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// Whether brokers accept a topic, which an announcement names, as a filter. They end the connection of a client
    /// that sends a bad one (MQTT 5, 1.5.4 and 4.7).
    static func isSubscribable(_ topic: String) -> Bool {
        (1...MQTTLimits.stateTopicBytes).contains(topic.utf8.count) && !topic.hasPrefix("$")
            && topic.utf8.count { $0 == UInt8(ascii: "/") } < MQTTLimits.topicLevels
            && topic.unicodeScalars.allSatisfy { scalar in
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                return !isControl && !scalar.properties.isNoncharacterCodePoint && scalar != "+" && scalar != "#"
            }
    }

    /// Returns a text with its length. A text over the limit ends before the character that exceeds it.
    package static func text(_ text: String) -> [UInt8] {
        var end = text.utf8.index(text.startIndex, offsetBy: MQTTLimits.topicBytes, limitedBy: text.endIndex)
        while let place = end, place.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: place)
        }
        let content = Array(text[..<(end ?? text.endIndex)].utf8)
        return bytes(UInt16(content.count)) + content
    }

    /// Returns a number as one to four bytes, seven bits in each (1.5.5).
    package static func variable(_ number: Int) -> [UInt8] {
        var (rest, bytes): (Int, [UInt8]) = (number, [])
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}
