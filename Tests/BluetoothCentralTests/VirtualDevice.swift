import Testing

@testable import BluetoothCentral
@testable import Radio

/// The attribute server of a device, and its notifications: by default a CC2650 SensorTag with its humidity service.
struct VirtualDevice {
    /// Attributes by handle: type, value; the value of a service's declaration is its UUID.
    struct Attribute {
        let type: UInt16
        var value: [UInt8]
    }

    var attributes: [UInt16: Attribute]
    /// The last handle of each service, by its first.
    var services: [UInt16: UInt16]
    /// The errors of writes, by handle.
    var refusals: [UInt16: UInt8] = [:]
    private(set) var written: [(handle: UInt16, value: [UInt8])] = []

    /// F000xxxx-0451-4000-B000-000000000000, little-endian.
    static func uuid(_ short: UInt16) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, 0, 0xB0, 0, 0x40, 0x51, 4, UInt8(short & 0xFF), UInt8(short >> 8), 0, 0xF0]
    }

    init() {
        func declaration(_ properties: UInt8, _ handle: UInt16, _ uuid: [UInt8]) -> Attribute {
            Attribute(type: 0x2803, value: [properties, UInt8(handle), 0] + uuid)
        }
        attributes = [
            1: Attribute(type: 0x2800, value: [0, 0x18]),
            2: declaration(2, 3, [0, 0x2A]),
            3: Attribute(type: 0x2A00, value: Array("SensorTag 2.0".utf8)),
            0x29: Attribute(type: 0x2800, value: Self.uuid(0xAA20)),
            0x2A: declaration(0x12, 0x2B, Self.uuid(0xAA21)),
            0x2B: Attribute(type: 0xAA21, value: [0, 0, 0, 0]),
            0x2C: Attribute(type: 0x2902, value: [0, 0]),
            0x2D: declaration(0x0A, 0x2E, Self.uuid(0xAA22)),
            0x2E: Attribute(type: 0xAA22, value: [0]),
        ]
        services = [1: 3, 0x29: 0x2F]
    }

    /// Whether notifications are on and the sensor is, so that values follow.
    var measures: Bool { attributes[0x2C]?.value == [1, 0] && attributes[0x2E]?.value == [1] }

    /// Returns the response to a message of the hub; nil if it has none.
    mutating func respond(_ message: [UInt8]) -> [UInt8]? {
        func range() -> ClosedRange<UInt16> {
            UInt16(message[1]) | UInt16(message[2]) << 8...UInt16(message[3]) | UInt16(message[4]) << 8
        }
        switch message[0] {
        case 0x02: return [0x01, 0x02, 0, 0, 0x06]
        case 0x04: return information(range())
        case 0x08: return declarations(0x2803, range(), code: 0x09, request: 0x08)
        case 0x10: return declarations(0x2800, range(), code: 0x11, request: 0x10)
        case 0x12:
            let handle = UInt16(message[1]) | UInt16(message[2]) << 8
            if let refusal = refusals[handle] { return [0x01, 0x12, message[1], message[2], refusal] }
            attributes[handle]?.value = Array(message[3...])
            written.append((handle, Array(message[3...])))
            return [0x13]
        default: return nil
        }
    }

    /// Lists declarations with UUIDs of one length, as many as fit into the smallest MTU.
    private func declarations(
        _ type: UInt16, _ range: ClosedRange<UInt16>, code: UInt8, request: UInt8
    ) -> [UInt8] {
        let all = attributes.filter { $0.value.type == type && range.contains($0.key) }.sorted { $0.key < $1.key }
        guard let first = all.first else {
            return [0x01, request, UInt8(range.lowerBound & 0xFF), UInt8(range.lowerBound >> 8), 0x0A]
        }
        func entry(_ handle: UInt16, _ value: [UInt8]) -> [UInt8] {
            let end = services[handle].map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } ?? []
            return [UInt8(handle & 0xFF), UInt8(handle >> 8)] + end + value
        }
        let length = entry(first.key, first.value.value).count
        var response = [code, UInt8(length)]
        for (handle, attribute) in all {
            let one = entry(handle, attribute.value)
            guard one.count == length, response.count + length <= 23 else { break }
            response += one
        }
        return response
    }

    private func information(_ range: ClosedRange<UInt16>) -> [UInt8] {
        let all = attributes.filter { range.contains($0.key) }.sorted { $0.key < $1.key }
        guard !all.isEmpty else { return [0x01, 0x04, UInt8(range.lowerBound & 0xFF), 0, 0x0A] }
        return [0x05, 1]
            + all.prefix(5).flatMap { [UInt8($0.key), 0, UInt8($0.value.type & 0xFF), UInt8($0.value.type >> 8)] }
    }
}

extension GATTProfile {
    /// The profile of the SensorTag that every hub has.
    static var sensorTag: GATTProfile {
        get throws { try #require(try GATTProfile.all(in: GATTProfile.builtIn).first) }
    }
}
