internal import CSystem

/// A serial line, raw 8N1, that never blocks its reader.
///
/// Two open ports on one line are refused with `EBUSY`: each would see half of what the radio says.
public final class SerialPort: Sendable {
    public let path: String
    private let line: Descriptor

    /// Opens a terminal such as `/dev/ttyUSB0`, or the slave of a pseudo-terminal.
    ///
    /// `baud` is one of 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600; any other is `EINVAL`.
    public init(path: String, baud: UInt32 = 115_200, hardwareFlowControl: Bool = false) throws(SystemError) {
        let opened = unsafe csystem_open_serial(path, baud, hardwareFlowControl)
        line = Descriptor(owning: try SystemError.checked(opened, "open serial port", path))
        self.path = path
    }

    /// To poll for input.
    public var descriptor: Int32 { line.number }

    /// Appends what has arrived, at most `limit` bytes, and returns how many; 0 where nothing has.
    ///
    /// A line that is gone throws, with `ENODATA`, `EIO` or what else the device says.
    @discardableResult
    public func read(into bytes: inout [UInt8], limit: Int = 4_096) throws(SystemError) -> Int {
        try line.read(into: &bytes, limit: limit, path)
    }

    /// Writes all bytes, in as many steps as the line takes them; `ETIMEDOUT` where it stops taking any.
    public func write(_ bytes: [UInt8], milliseconds: Int = 1_000) throws(SystemError) {
        try line.write(all: bytes, within: milliseconds, path)
    }
}
