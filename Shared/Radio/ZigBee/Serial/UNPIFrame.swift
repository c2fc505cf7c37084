/// One frame of the serial link to a Z-Stack coordinator (TI Unified Network Processor Interface).
public struct UNPIFrame: Hashable, Sendable {
    /// The kind of a frame.
    public enum Kind: UInt8, Sendable {
        case poll = 0
        /// A synchronous request: one at a time, followed by a response.
        case request = 1
        /// An asynchronous message, sent by either side at any time, even between a request and its response.
        case notice = 2
        case response = 3
    }

    public var kind: Kind
    public var subsystem: UInt8
    public var command: UInt8
    /// At most 250 bytes.
    public var data: [UInt8]

    public init(_ kind: Kind, _ subsystem: UInt8, _ command: UInt8, _ data: [UInt8] = []) {
        self.kind = kind
        self.subsystem = subsystem & 0x1F
        self.command = command
        self.data = Array(data.prefix(RadioLimits.serialData))
    }

    /// Creates a frame from its two command bytes as one number, such as 0x2101.
    init(_ code: UInt16, _ data: [UInt8] = []) {
        let first = UInt8(code >> 8)
        self.init(Kind(rawValue: first >> 5 & 3) ?? .poll, first, UInt8(code & 0xFF), data)
    }

    /// Both command bytes as one number, such as 0x4481.
    public var code: UInt16 { UInt16(kind.rawValue << 5 | subsystem) << 8 | UInt16(command) }

    /// The code of the response to this request.
    public var responseCode: UInt16 { UInt16(Kind.response.rawValue << 5 | subsystem) << 8 | UInt16(command) }

    /// The serial form: `FE`, length, two command bytes, data, check.
    public var bytes: [UInt8] {
        var frame: [UInt8] = [Self.start, UInt8(data.count), UInt8(code >> 8), command]
        frame += data
        frame.append(Self.check(frame.dropFirst()))
        return frame
    }

    static let start: UInt8 = 0xFE

    /// Returns the exclusive or of the bytes between start and check.
    static func check(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var check: UInt8 = 0
        for byte in bytes { check ^= byte }
        return check
    }
}
