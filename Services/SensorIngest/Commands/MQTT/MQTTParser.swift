/// Finds packets in the byte stream of a broker. Packets over the limit are skipped, not stored.
struct MQTTParser {
    private var buffer: [UInt8] = []
    /// The number of bytes at the beginning of the buffer that are already read.
    private var start = 0
    /// The bytes of a packet over the limit that are still to be skipped.
    private var skipped = 0
    private let limit: Int

    init(limit: Int = MQTTLimits.packetBytes) {
        self.limit = limit
    }

    /// Returns the packets that are complete with these bytes. Throws if the stream is no MQTT.
    mutating func feed(_ bytes: [UInt8]) throws(MQTTError) -> [MQTTPacket] {
        buffer += bytes
        var packets: [MQTTPacket] = []
        while let packet = try next() { packets.append(packet) }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        return packets
    }

    private mutating func next() throws(MQTTError) -> MQTTPacket? {
        if skipped > 0 {
            let count = min(skipped, buffer.count - start)
            start += count
            skipped -= count
        }
        guard let (head, length, first) = try header() else { return nil }
        guard length <= limit else { return try skip(head, length, from: first) }
        guard buffer.count - first >= length else { return nil }
        start = first + length
        return try MQTTPacket(head: head, body: buffer[first..<start])
    }

    /// Returns the fixed header of the next packet, and where the packet continues; nil while it is not complete.
    private func header() throws(MQTTError) -> (head: UInt8, length: Int, first: Int)? {
        guard let head = buffer[start...].first else { return nil }
        // A server of another protocol is recognised at its first byte, not once the length that it seems to name is
        // complete.
        guard MQTTPacket.Kind.all.contains(head >> 4) else {
            throw MQTTError(reason: "a packet of type \(head >> 4)")
        }
        var length = 0
        for index in 0..<4 {
            let place = start + 1 + index
            guard place < buffer.count else { return nil }
            length |= Int(buffer[place] & 0x7F) << (7 * index)
            if buffer[place] & 0x80 == 0 { return (head, length, place + 1) }
        }
        throw MQTTError(reason: "a length of more than four bytes")
    }

    /// Skips a message over the limit once its topic and number, with which it is acknowledged, have arrived.
    private mutating func skip(_ head: UInt8, _ length: Int, from first: Int) throws(MQTTError) -> MQTTPacket? {
        guard head >> 4 == MQTTPacket.Kind.message else { throw MQTTError(reason: "a packet of \(length) bytes") }
        let here = buffer.count - first
        guard here >= min(length, MQTTLimits.topicBytes + 4) else { return nil }
        var reader = MQTTReader(buffer[first..<min(buffer.count, first + length)])
        let (topic, id) = try MQTTPacket.address(head, &reader)
        let present = min(here, length)
        start = first + present
        skipped = length - present
        return .oversized(topic: topic, id: id, bytes: length)
    }
}
