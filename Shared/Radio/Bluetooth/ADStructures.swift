/// The AD types that are decoded here (Bluetooth Assigned Numbers, section 2.3).
enum ADType {
    static let flags: UInt8 = 0x01
    static let shortName: UInt8 = 0x08
    static let completeName: UInt8 = 0x09
    static let transmitPower: UInt8 = 0x0A
    static let serviceData16: UInt8 = 0x16
    static let serviceData32: UInt8 = 0x20
    static let serviceData128: UInt8 = 0x21
    static let manufacturer: UInt8 = 0xFF
}

/// One AD structure: its type and its data.
struct ADStructure {
    var type: UInt8
    var body: ByteReader
}

/// An iterator over the AD structures of an advertisement, which copies none of them.
struct ADStructures: IteratorProtocol {
    /// The length and the type.
    static let header = 2

    private var reader: ByteReader
    /// Whether the last structure claims more bytes than there are; set at the end of the iteration.
    private(set) var isCutOff = false

    init(_ bytes: [UInt8]) {
        reader = ByteReader(bytes)
    }

    /// Returns the first manufacturer data of a company, behind its number.
    static func manufacturerData(of company: UInt16, in data: [UInt8]) -> ByteReader? {
        var structures = ADStructures(data)
        while var structure = structures.next() {
            guard structure.type == ADType.manufacturer else { continue }
            do throws(Malformed) {
                if try structure.body.u16() == company { return structure.body }
            } catch {
                continue
            }
        }
        return nil
    }

    mutating func next() -> ADStructure? {
        // Some controllers pad with zeros and put the scan response behind them.
        while reader.peek() == 0 { reader.advance() }
        // Every advertisement ends here, so its end throws no error, whose text would take a tenth of the time.
        guard !reader.isAtEnd else { return nil }
        do throws(Malformed) {
            let length = Int(try reader.u8())
            isCutOff = length > reader.remaining
            var body = try reader.part(length)
            return ADStructure(type: try body.u8(), body: body)
        } catch {
            // A structure that is cut off ends the iteration.
            return nil
        }
    }
}
