import Radio

/// The fixed channels of L2CAP on a connection of Bluetooth Low Energy (Bluetooth Core, volume 3, part A, 2.1).
enum LogicalChannel {
    static let attributes: UInt16 = 4
    static let signalling: UInt16 = 5

    /// Returns a message as ACL packets in H4 form, each with at most `size` bytes of data, which is at least 1.
    static func packets(_ payload: [UInt8], channel: UInt16, handle: UInt16, size: Int) -> [[UInt8]] {
        var frame = ByteWriter()
        frame.u16(UInt16(clamping: payload.count))
        frame.u16(channel)
        frame.append(payload)
        var packets: [[UInt8]] = []
        var rest = frame.bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(max(size, 1))
            var packet = ByteWriter()
            packet.u8(HCIPacket.Kind.asynchronousData.rawValue)
            packet.u16(handle & 0x0FFF | (packets.isEmpty ? 0 : 0x1000))
            packet.u16(UInt16(clamping: part.count))
            packet.append(Array(part))
            packets.append(packet.bytes)
            rest = rest.dropFirst(part.count)
        }
        return packets
    }

    /// Returns the response to a signalling command of the device; nil if it needs none (volume 3, part A, 4).
    ///
    /// Other parameters of the connection are declined, so that a lost device is noticed as soon as the hub wants.
    static func signal(_ command: [UInt8]) -> [UInt8]? {
        guard command.count >= 4 else { return nil }
        switch command[0] {
        case 0x12: return [0x13, command[1], 2, 0, 1, 0]
        // Responses, and the notice of credits, get no response.
        case 0x01, 0x13, 0x15, 0x16, 0x18, 0x1A: return nil
        default: return [0x01, command[1], 2, 0, 0, 0]
        }
    }
}

/// Joins the parts of L2CAP messages of one connection.
struct FrameAssembler: Hashable, Sendable {
    private var pending: [UInt8] = []

    /// Returns the message that this part completes; nil while a part is missing.
    ///
    /// Throws if a message is longer than the limit, or longer than its head says.
    mutating func take(_ part: [UInt8], isStart: Bool) throws(Malformed) -> (channel: UInt16, payload: [UInt8])? {
        // A message that was not finished is dropped, as is the rest of one whose start was not received.
        if isStart { pending = part } else if !pending.isEmpty { pending += part }
        guard pending.count >= 4 else { return nil }
        var reader = ByteReader(pending)
        let length = Int(try reader.u16())
        let channel = try reader.u16()
        guard length <= CentralLimits.message, reader.remaining <= length else {
            pending = []
            throw Malformed("the message is too long", at: 0)
        }
        guard reader.remaining == length else { return nil }
        pending = []
        return (channel, reader.rest)
    }
}
