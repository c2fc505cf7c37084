import Radio

/// A SensorTag CC2650 as a server of the Attribute Protocol (Bluetooth Core, volume 3, part F). Pure.
///
/// It has the humidity service alone: a value that notifies, its configuration, and the switch of the sensor.
struct FakeSensorTag {
    /// 54:6c:0e:00:00:01
    static let address: UInt64 = 0x546C_0E00_0001
    private static let name = "CC2650 SensorTag"

    private enum Handle {
        static let service: UInt16 = 1
        static let value: UInt16 = 3
        static let configuration: UInt16 = 4
        static let switching: UInt16 = 6
    }

    private var notifies = false
    private var isOn = false

    /// The data of its advertisements: flags and name.
    static var advertisement: [UInt8] { [2, 1, 6, UInt8(name.utf8.count + 1), 9] + Array(name.utf8) }

    /// f000aa2x-0451-4000-b000-000000000000, lowest byte first.
    private static func uuid(_ last: UInt8) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, 0, 0xB0, 0, 0x40, 0x51, 0x04, last, 0xAA, 0, 0xF0]
    }

    /// Returns the response to a request of the hub; nil if it needs none.
    mutating func answer(_ request: [UInt8]) -> [UInt8]? {
        do throws(Malformed) {
            var reader = ByteReader(request)
            let code = try reader.u8()
            switch code {
            case 0x02: return [0x03, 247, 0]
            case 0x04, 0x08, 0x10:
                let first = try reader.u16()
                let last = try reader.u16()
                return Self.found(code, first, last)
            case 0x12:
                let handle = try reader.u16()
                let value = try reader.u8()
                if handle == Handle.configuration { notifies = value & 1 == 1 }
                if handle == Handle.switching { isOn = value == 1 }
                return [0x13]
            default: return code.isMultiple(of: 2) && code < 0x1E ? Self.failed(code, 0, 0x06) : nil
            }
        } catch {
            return nil
        }
    }

    private static func found(_ code: UInt8, _ first: UInt16, _ last: UInt16) -> [UInt8] {
        switch code {
        case 0x10 where first <= Handle.service:
            return [0x11, 20, 1, 0, 6, 0] + uuid(0x20)
        case 0x08 where first <= 2 && last >= 2:
            let value = [2, 0, 0x12, 3, 0] + uuid(0x21)
            return [0x09, 21] + value + (last >= 5 ? [5, 0, 0x0A, 6, 0] + uuid(0x22) : [])
        case 0x04 where (first...max(first, last)).contains(Handle.configuration): return [0x05, 1, 4, 0, 0x02, 0x29]
        default: return failed(code, first, 0x0A)
        }
    }

    private static func failed(_ code: UInt8, _ handle: UInt16, _ reason: UInt8) -> [UInt8] {
        [0x01, code, UInt8(handle & 0xFF), UInt8(handle >> 8), reason]
    }

    /// Returns the notification of a measurement; nil if it is not wanted (HDC1000: parts of 65,536).
    func notification(celsius: Double, humidity: Double) -> [UInt8]? {
        guard notifies, isOn else { return nil }
        var message = ByteWriter()
        message.u8(0x1B)
        message.u16(Handle.value)
        message.u16(UInt16((celsius + 40) / 165 * 65_536))
        message.u16(UInt16(humidity / 100 * 65_536))
        return message.bytes
    }

    mutating func disconnect() { (notifies, isOn) = (false, false) }
}
