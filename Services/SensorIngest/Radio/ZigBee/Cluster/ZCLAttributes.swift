/// The attribute records of a Report Attributes or Read Attributes Response command.
///
/// Records that were read count, even where a later one cannot be read; the rest is counted in bytes.
public struct ZCLAttributes: Hashable, Sendable {
    /// One attribute with its value, or why there is none.
    public struct Record: Hashable, Sendable {
        public var attribute: UInt16
        /// 0 unless the device refused to be asked (0x86: it has no such attribute).
        public var status: UInt8
        /// Nil where the device refused.
        public var type: UInt8?
        public var value: ZCLValue

        public init(attribute: UInt16, status: UInt8 = 0, type: UInt8?, value: ZCLValue) {
            self.attribute = attribute
            self.status = status
            self.type = type
            self.value = value
        }
    }

    public var records: [Record] = []
    /// Bytes at the end that could not be read.
    public var droppedBytes = 0
    public var problem: Malformed?

    /// Attributes in which Xiaomi packs bytes, as a string (even of text) whose length byte is sometimes too large.
    private static let packed: Set<UInt16> = [0xFF01, 0x00F7]

    /// Reads the payload of a frame; the offset of a problem counts from the start of the frame.
    public init(_ frame: ZCLFrame) {
        var reader = ByteReader(frame.payload)
        let isResponse = frame.command == ZCLFrame.Command.readAttributesResponse
        while !reader.isAtEnd, records.count < RadioLimits.records {
            let start = reader.offset
            // Xiaomi's firmware leaves a stray zero behind what it packs.
            if reader.remaining == 1, reader.peek() == 0, Self.packed.contains(records.last?.attribute ?? 0) { return }
            do throws(Malformed) {
                records.append(try Self.record(&reader, isResponse: isResponse))
            } catch {
                droppedBytes = frame.payload.count - start
                problem = Malformed(error.reason, at: error.offset + frame.headerLength)
                return
            }
        }
    }

    private static func record(_ reader: inout ByteReader, isResponse: Bool) throws(Malformed) -> Record {
        let attribute = try reader.u16()
        let status = isResponse ? try reader.u8() : 0
        guard status == 0 else { return Record(attribute: attribute, status: status, type: nil, value: .invalid) }
        let type = try reader.u8()
        let isPacked = packed.contains(attribute)
        let value = try ZCLType.read(
            isPacked && type == ZCLType.text ? ZCLType.octets : type, &reader, clamps: isPacked)
        return Record(attribute: attribute, status: status, type: type, value: value)
    }

    subscript(attribute: UInt16) -> ZCLValue? {
        records.first { $0.attribute == attribute && $0.status == 0 }?.value
    }
}
