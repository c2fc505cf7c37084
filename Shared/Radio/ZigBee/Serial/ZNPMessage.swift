/// One message between a Z-Stack coordinator and its host, read from or written to a serial frame.
public enum ZNPMessage: Hashable, Sendable {
    case system(SystemMessage)
    case memory(MemoryMessage)
    case table(TableMessage)
    case framework(FrameworkMessage)
    case deviceObject(DeviceObjectMessage)
    /// The coordinator does not know a request (2), or it was too long (4), and so on.
    case refused(error: UInt8, request: UInt16)
    /// Any other frame, unchanged.
    case other(UNPIFrame)

    public init(_ frame: UNPIFrame) throws(Malformed) {
        if let message = try SystemMessage(frame) {
            self = .system(message)
        } else if let message = try MemoryMessage(frame) {
            self = .memory(message)
        } else if let message = try TableMessage(frame) {
            self = .table(message)
        } else if let message = try FrameworkMessage(frame) {
            self = .framework(message)
        } else if let message = try DeviceObjectMessage(frame) {
            self = .deviceObject(message)
        } else if frame.code == 0x6000 {
            var reader = ByteReader(frame.data)
            self = .refused(error: try reader.u8(), request: try reader.u16BE())
        } else {
            self = .other(frame)
        }
    }

    public var frame: UNPIFrame {
        switch self {
        case .system(let message): message.frame
        case .memory(let message): message.frame
        case .table(let message): message.frame
        case .framework(let message): message.frame
        case .deviceObject(let message): message.frame
        case .refused(let error, let request):
            UNPIFrame(0x6000, [error, UInt8(request >> 8), UInt8(request & 0xFF)])
        case .other(let frame): frame
        }
    }

    /// The bytes for the serial line.
    public var bytes: [UInt8] { frame.bytes }
}
