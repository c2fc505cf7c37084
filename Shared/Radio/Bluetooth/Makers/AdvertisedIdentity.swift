/// The name of an advertisement's sender and the services that it lists.
///
/// Some makes send measurements where the company's number belongs, so the number does not identify them.
struct AdvertisedIdentity {
    /// A make that is identified by name or service.
    enum Maker {
        case govee, inkbird, sensorPush, thermoPro
    }

    /// The bytes of the shortest structure that identifies a make, a list of one service.
    static let least = 4

    /// The complete name, or the shortened one if only that is sent.
    private(set) var name: ByteReader?
    /// The first listed 16-bit service that one of the makes uses.
    private(set) var service: UInt16?
    /// Whether SensorPush's service is listed, of the first generation or of a later one.
    private(set) var sensorPush: SensorPush.Generation?
    /// The number of structures with manufacturer data, without Apple's.
    ///
    /// Some gateways merge several packets into one. The newest of several structures is then unknown.
    private(set) var payloads = 0

    init(_ data: [UInt8]) {
        var structures = ADStructures(data)
        var isNameComplete = false
        while var structure = structures.next() {
            do throws(Malformed) {
                switch structure.type {
                case ADType.shortName where !isNameComplete: name = structure.body
                case ADType.completeName:
                    name = structure.body
                    isNameComplete = true
                case 0x02, 0x03: try readServices(&structure.body)
                case 0x06, 0x07: sensorPush = sensorPush ?? SensorPush.Generation(structure.body)
                case ADType.manufacturer:
                    if try structure.body.u16() != IBeacon.company { payloads += 1 }
                default: break
                }
            } catch {
                continue
            }
        }
    }

    private mutating func readServices(_ body: inout ByteReader) throws(Malformed) {
        while service == nil, body.remaining >= 2 {
            let listed = try body.u16()
            if Govee.services.contains(listed) || listed == Inkbird.service { service = listed }
        }
    }

    var maker: Maker? {
        if let name {
            switch name.peek() {
            case UInt8(ascii: "G"):
                if name.starts(with: "GV") || name.starts(with: "Govee_") { return .govee }
            case UInt8(ascii: "B"):
                if name.starts(with: "B5178") { return .govee }
            case UInt8(ascii: "S"):
                if name.starts(with: "SensorPush ") { return .sensorPush }
            case UInt8(ascii: "T"):
                if ThermoPro.names.contains(where: { name.starts(with: $0) }) { return .thermoPro }
            case UInt8(ascii: "s"), UInt8(ascii: "t"):
                if name.equals("sps") || name.equals("tps") { return .inkbird }
            default: break
            }
        }
        if sensorPush != nil { return .sensorPush }
        switch service {
        case nil: return nil
        case Inkbird.service: return .inkbird
        default: return .govee
        }
    }
}

extension ByteReader {
    /// Whether the unread bytes begin with a text.
    func starts(with text: String) -> Bool {
        var place = 0
        for byte in text.utf8 {
            guard peek(place) == byte else { return false }
            place += 1
        }
        return true
    }

    func equals(_ text: String) -> Bool { remaining == text.utf8.count && starts(with: text) }
}
