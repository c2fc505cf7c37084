import Vocabulary

/// The AD structures of one advertisement (Bluetooth Core, volume 3, part C, section 11).
///
/// Zeros between structures are skipped. A structure that is cut off is omitted; those before it are included.
public struct AdvertisingData: Hashable, Sendable {
    public var flags: UInt8?
    /// The complete name, or the shortened one if only that is sent.
    public var name: String?
    public var transmitPower: Int?
    /// UUIDs in their long, lower-case form.
    public var services: [String] = []
    public var serviceData: [ServiceData] = []
    public var manufacturerData: [ManufacturerData] = []

    /// The data that is sent for a service.
    public struct ServiceData: Hashable, Sendable {
        public var service: String
        public var bytes: [UInt8]
    }

    /// Data in a maker's own format.
    public struct ManufacturerData: Hashable, Sendable {
        public var company: UInt16
        public var bytes: [UInt8]
    }

    public init(_ bytes: [UInt8]) {
        var structures = ADStructures(bytes)
        var isNameComplete = false
        while var structure = structures.next() {
            do throws(Malformed) {
                try read(&structure, &isNameComplete)
            } catch {
                continue
            }
        }
    }

    private mutating func read(_ structure: inout ADStructure, _ isNameComplete: inout Bool) throws(Malformed) {
        switch structure.type {
        case ADType.flags: flags = try structure.body.u8()
        case ADType.shortName where !isNameComplete: name = Self.text(structure.body.rest)
        case ADType.completeName:
            name = Self.text(structure.body.rest)
            isNameComplete = true
        case ADType.transmitPower where structure.body.remaining == 1:
            transmitPower = Int(try structure.body.i8())
        case 0x02, 0x03: try readServices(&structure.body, width: 2)
        case 0x04, 0x05: try readServices(&structure.body, width: 4)
        case 0x06, 0x07: try readServices(&structure.body, width: 16)
        case ADType.serviceData16: try readServiceData(&structure.body, width: 2)
        case ADType.serviceData32: try readServiceData(&structure.body, width: 4)
        case ADType.serviceData128: try readServiceData(&structure.body, width: 16)
        case ADType.manufacturer:
            let company = try structure.body.u16()
            manufacturerData.append(ManufacturerData(company: company, bytes: structure.body.rest))
        default: break
        }
    }

    private mutating func readServices(_ body: inout ByteReader, width: Int) throws(Malformed) {
        while body.remaining >= width { services.append(Self.uuid(try body.take(width))) }
    }

    private mutating func readServiceData(_ body: inout ByteReader, width: Int) throws(Malformed) {
        let service = Self.uuid(try body.take(width))
        serviceData.append(ServiceData(service: service, bytes: body.rest))
    }

    /// Returns the long form of a UUID of 2, 4 or 16 bytes, little-endian on the air.
    package static func uuid(_ littleEndian: [UInt8]) -> String {
        let base = "-0000-1000-8000-00805f9b34fb"
        let digits = Hex.encode(Array(littleEndian.reversed()))
        switch littleEndian.count {
        case 2: return "0000" + digits + base
        case 4: return digits + base
        default: return UUIDText.dashed(digits)
        }
    }

    /// Returns the text up to the first zero byte, or nil if it is empty. Bytes that are not UTF-8 are replaced.
    private static func text(_ bytes: [UInt8]) -> String? {
        let text = bytes.prefix { $0 != 0 }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }
}

/// The printed form of UUIDs.
enum UUIDText {
    /// Inserts the dashes into 32 hex digits.
    static func dashed(_ digits: String) -> String {
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
