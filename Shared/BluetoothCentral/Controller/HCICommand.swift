import Radio
import Vocabulary

/// A command of a host to its Bluetooth controller (Bluetooth Core, volume 4, part E, section 7).
enum HCICommand: Hashable, Sendable {
    /// 7.3.2
    case reset
    /// 7.3.1: the default events, and LE Meta.
    case setEventMask
    /// 7.4.5
    case readBufferSize
    /// 7.8.2
    case readLowEnergyBufferSize
    /// 7.8.10: active, so that senders give their names; every advertisement, also one that was seen before.
    case setScanParameters
    /// 7.8.11
    case setScan(Bool)
    /// 7.8.12
    case connect(Peripheral)
    /// 7.8.13
    case cancelConnect
    /// Ends the connection with this handle; the reason sent is "remote user terminated connection" (7.1.6).
    case disconnect(UInt16)

    var opcode: UInt16 {
        switch self {
        case .reset: 0x0C03
        case .setEventMask: 0x0C01
        case .readBufferSize: 0x1005
        case .readLowEnergyBufferSize: 0x2002
        case .setScanParameters: 0x200B
        case .setScan: 0x200C
        case .connect: 0x200D
        case .cancelConnect: 0x200E
        case .disconnect: 0x0406
        }
    }

    /// The packet in H4 form.
    var bytes: [UInt8] {
        var parameters = ByteWriter()
        switch self {
        case .reset, .readBufferSize, .readLowEnergyBufferSize, .cancelConnect: break
        case .setEventMask: parameters.u64(0x2000_1FFF_FFFF_FFFF)
        case .setScanParameters:
            parameters.u8(1)
            // Scans half of the time: 30 ms of every 60 ms, in units of 0.625 ms.
            parameters.u16(0x60)
            parameters.u16(0x30)
            parameters.append([0, 0])
        case .setScan(let isOn): parameters.append([isOn ? 1 : 0, 0])
        case .connect(let peer):
            parameters.u16(0x60)
            parameters.u16(0x30)
            parameters.u8(0)
            parameters.u8(peer.isRandomAddress ? 1 : 0)
            parameters.unsigned(peer.address, width: 6)
            parameters.u8(0)
            // An interval of 30 to 50 ms, no latency, and 4 s until a lost device is noticed.
            for number in [0x18, 0x28, 0, 400, 0, 0] as [UInt16] { parameters.u16(number) }
        case .disconnect(let handle):
            parameters.u16(handle)
            parameters.u8(0x13)
        }
        var packet = ByteWriter()
        packet.u8(HCIPacket.Kind.command.rawValue)
        packet.u16(opcode)
        packet.u8(UInt8(clamping: parameters.bytes.count))
        packet.append(parameters.bytes)
        return packet.bytes
    }
}

/// The address of a device, as it advertises.
package struct Peripheral: Hashable, Sendable {
    package let address: UInt64
    package let isRandomAddress: Bool

    package init(address: UInt64, isRandomAddress: Bool) {
        self.address = address
        self.isRandomAddress = isRandomAddress
    }

    /// The address as people write it: `54:6c:0e:00:00:01`.
    package var text: String {
        let digits = Hex.encode((0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * $0)) })
        return stride(from: 0, to: 12, by: 2).map { String(digits.dropFirst($0).prefix(2)) }.joined(separator: ":")
    }
}
