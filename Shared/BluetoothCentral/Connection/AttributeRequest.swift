import Radio

/// A message of a client of the Attribute Protocol (Bluetooth Core, volume 3, part F, 3.4).
enum AttributeRequest: Hashable, Sendable {
    case exchangeMTU(UInt16)
    /// Asks for the types of attributes, such as a descriptor of a characteristic.
    case findInformation(ClosedRange<UInt16>)
    /// Asks for the declarations of characteristics.
    case readCharacteristics(ClosedRange<UInt16>)
    /// Asks for the primary services.
    case readServices(ClosedRange<UInt16>)
    case write(UInt16, [UInt8])
    /// Confirms an indication.
    case confirm

    /// The first byte, also of the request that an error names.
    var code: UInt8 {
        switch self {
        case .exchangeMTU: 0x02
        case .findInformation: 0x04
        case .readCharacteristics: 0x08
        case .readServices: 0x10
        case .write: 0x12
        case .confirm: 0x1E
        }
    }

    var bytes: [UInt8] {
        var message = ByteWriter()
        message.u8(code)
        switch self {
        case .exchangeMTU(let size): message.u16(size)
        case .findInformation(let range): message.range(range)
        case .readCharacteristics(let range):
            message.range(range)
            message.u16(0x2803)
        case .readServices(let range):
            message.range(range)
            message.u16(0x2800)
        case .write(let handle, let value):
            message.u16(handle)
            message.append(value)
        case .confirm: break
        }
        return message.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func range(_ range: ClosedRange<UInt16>) {
        u16(range.lowerBound)
        u16(range.upperBound)
    }
}
