import Radio

/// A packet of a Bluetooth controller that a hub acts upon (Bluetooth Core, volume 4, part E, section 7.7 and 5.4.2).
enum HCIMessage: Hashable, Sendable {
    /// A command has ended; `parameters` follow the status.
    case complete(opcode: UInt16, status: UInt8, parameters: [UInt8])
    /// A command has begun, or was refused if the status is not 0.
    case status(opcode: UInt16, status: UInt8)
    case connected(status: UInt8, handle: UInt16, Peripheral)
    case disconnected(status: UInt8, handle: UInt16, reason: UInt8)
    /// Numbers of packets that the controller has sent, by connection.
    case sent([UInt16: Int])
    case advertisements([Advertisement])
    /// The controller has failed, and has to be reset.
    case hardwareError(UInt8)
    /// A part of a message of a connected device.
    case data(handle: UInt16, isStart: Bool, [UInt8])
    /// Anything else.
    case other

    private enum Code {
        static let disconnected: UInt8 = 0x05
        static let complete: UInt8 = 0x0E
        static let status: UInt8 = 0x0F
        static let hardwareError: UInt8 = 0x10
        static let sent: UInt8 = 0x13
        static let lowEnergy: UInt8 = 0x3E
    }

    /// Reads a packet in H4 form. Throws if it is too short.
    init(_ bytes: [UInt8]) throws(Malformed) {
        let packet = try HCIPacket(bytes)
        var reader = ByteReader(bytes)
        try reader.skip(1)
        switch packet.kind {
        case .event:
            if !packet.advertisements.isEmpty {
                self = .advertisements(packet.advertisements)
            } else {
                self = try Self.event(&reader)
            }
        case .asynchronousData:
            let head = try reader.u16()
            var data = try reader.part(Int(try reader.u16()))
            // Bits 12 and 13: 1 continues a message, every other value begins one.
            self = .data(handle: head & 0x0FFF, isStart: head >> 12 & 3 != 1, try data.take(data.remaining))
        case .command, .synchronousData, .isochronousData: self = .other
        }
    }

    private static func event(_ reader: inout ByteReader) throws(Malformed) -> HCIMessage {
        let code = try reader.u8()
        var event = try reader.part(Int(try reader.u8()))
        switch code {
        case Code.disconnected:
            let status = try event.u8()
            return .disconnected(status: status, handle: try event.u16() & 0x0FFF, reason: try event.u8())
        case Code.complete:
            try event.skip(1)
            let opcode = try event.u16()
            // An opcode of 0 only says that the controller accepts commands.
            guard opcode != 0 else { return .other }
            return .complete(opcode: opcode, status: try event.u8(), parameters: event.rest)
        case Code.status:
            let status = try event.u8()
            try event.skip(1)
            let opcode = try event.u16()
            return opcode == 0 ? .other : .status(opcode: opcode, status: status)
        case Code.hardwareError: return .hardwareError(try event.u8())
        case Code.sent:
            var counts: [UInt16: Int] = [:]
            for _ in 0..<(try event.u8()) {
                let handle = try event.u16() & 0x0FFF
                counts[handle, default: 0] += Int(try event.u16())
            }
            return .sent(counts)
        case Code.lowEnergy: return try connection(&event)
        default: return .other
        }
    }

    /// Reads LE Connection Complete, or the enhanced one, whose members begin in the same way.
    private static func connection(_ event: inout ByteReader) throws(Malformed) -> HCIMessage {
        let subevent = try event.u8()
        guard subevent == 0x01 || subevent == 0x0A else { return .other }
        let status = try event.u8()
        let handle = try event.u16() & 0x0FFF
        try event.skip(1)
        let isRandom = try event.u8() & 1 == 1
        return .connected(
            status: status, handle: handle, Peripheral(address: try event.u48(), isRandomAddress: isRandom))
    }
}
