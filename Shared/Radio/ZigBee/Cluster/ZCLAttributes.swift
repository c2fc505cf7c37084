/// The attribute records of a Report Attributes or Read Attributes Response command.
///
/// Records before one that cannot be read are included; the rest is counted in bytes.
public struct ZCLAttributes: Hashable, Sendable {
    /// One attribute with its value, or the status why it has none.
    public struct Record: Hashable, Sendable {
        public var attribute: UInt16
        /// 0, or an error such as 0x86: the device has no such attribute.
        public var status: UInt8
        /// Nil if the status is an error.
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
    /// The number of bytes at the end that could not be read.
    public var droppedBytes = 0
    public var problem: Malformed?

    /// The attributes in which Xiaomi packs bytes, typed as a string (even of text) whose length byte is sometimes too
    /// large.
    private static let packed: Set<UInt16> = [0xFF01, 0x00F7]

    /// Reads the payload of a frame. The offset in `problem` counts from the start of the frame.
    public init(_ frame: ZCLFrame) {
        var reader = ByteReader(frame.payload)
        let isResponse = frame.command == ZCLFrame.Command.readAttributesResponse
        while !reader.isAtEnd, records.count < RadioLimits.records {
            let start = reader.offset
            // Xiaomi's firmware appends a stray zero to its packed bytes.
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
