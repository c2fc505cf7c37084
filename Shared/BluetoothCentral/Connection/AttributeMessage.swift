import Radio

/// A message of a server of the Attribute Protocol (Bluetooth Core, volume 3, part F, 3.4).
enum AttributeMessage: Hashable, Sendable {
    /// The request with this code failed.
    case failed(request: UInt8, AttributeError)
    case mtu(UInt16)
    case information([Descriptor])
    case characteristics([FoundCharacteristic])
    case services([FoundService])
    case written
    case value(handle: UInt16, [UInt8], needsConfirmation: Bool)
    /// A request of the device, which is a client as well.
    case request(UInt8)
    /// A command, or anything else that needs no response.
    case other

    /// The handle and the UUID of an attribute.
    struct Descriptor: Hashable, Sendable {
        let handle: UInt16
        let uuid: String
    }

    /// Reads a message. Throws if it is too short, or if an entry of a list is.
    init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = ByteReader(bytes)
        let code = try reader.u8()
        switch code {
        case 0x01:
            let request = try reader.u8()
            try reader.skip(2)
            self = .failed(request: request, AttributeError(code: try reader.u8()))
        case 0x03: self = .mtu(try reader.u16())
        case 0x05: self = .information(try Self.information(&reader))
        case 0x09: self = .characteristics(try Self.characteristics(&reader))
        case 0x11: self = .services(try Self.services(&reader))
        case 0x13: self = .written
        case 0x1B, 0x1D:
            self = .value(handle: try reader.u16(), reader.rest, needsConfirmation: code == 0x1D)
        // Requests have even codes below the bit that marks a command; 1E confirms what this client never sends.
        case 0x02...0x1C where code.isMultiple(of: 2), 0x20: self = .request(code)
        default: self = .other
        }
    }

    private static func information(_ reader: inout ByteReader) throws(Malformed) -> [Descriptor] {
        let width = try reader.u8() == 1 ? 2 : 16
        var found: [Descriptor] = []
        while !reader.isAtEnd {
            let handle = try reader.u16()
            found.append(Descriptor(handle: handle, uuid: AdvertisingData.uuid(try reader.take(width))))
        }
        return found
    }

    private static func characteristics(_ reader: inout ByteReader) throws(Malformed) -> [FoundCharacteristic] {
        let length = Int(try reader.u8())
        guard length == 7 || length == 21 else { throw Malformed("no declaration of a characteristic", at: 1) }
        var found: [FoundCharacteristic] = []
        while !reader.isAtEnd {
            let declaration = try reader.u16()
            let properties = try reader.u8()
            let value = try reader.u16()
            let uuid = AdvertisingData.uuid(try reader.take(length - 5))
            found.append(
                FoundCharacteristic(declaration: declaration, value: value, properties: properties, uuid: uuid))
        }
        return found
    }

    private static func services(_ reader: inout ByteReader) throws(Malformed) -> [FoundService] {
        let length = Int(try reader.u8())
        guard length == 6 || length == 20 else { throw Malformed("no declaration of a service", at: 1) }
        var found: [FoundService] = []
        while !reader.isAtEnd {
            let first = try reader.u16()
            let last = try reader.u16()
            let uuid = AdvertisingData.uuid(try reader.take(length - 4))
            guard first <= last else { throw Malformed("a service ends before it begins", at: reader.offset) }
            found.append(FoundService(handles: first...last, uuid: uuid))
        }
        return found
    }
}

/// A primary service of a device.
struct FoundService: Hashable, Sendable {
    let handles: ClosedRange<UInt16>
    let uuid: String
}

/// A characteristic of a device.
struct FoundCharacteristic: Hashable, Sendable {
    let declaration: UInt16
    let value: UInt16
    let properties: UInt8
    let uuid: String

    var notifies: Bool { properties & 0x10 != 0 }
    var indicates: Bool { properties & 0x20 != 0 }
}

/// Why a device refused a request (Bluetooth Core, volume 3, part F, 3.4.1.1).
struct AttributeError: Hashable, Sendable, CustomStringConvertible {
    let code: UInt8

    /// Whether a search has reached its end.
    var isNotFound: Bool { code == 0x0A }

    var description: String {
        switch code {
        case 0x03: "it cannot be written"
        case 0x05, 0x08, 0x0C, 0x0F: "the device wants to be paired, which the hub cannot do"
        case 0x0D: "the value has the wrong length"
        default: "error \(code) of the device"
        }
    }
}
