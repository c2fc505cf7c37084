internal import CSystem

/// A non-blocking serial line, raw 8N1.
///
/// Opening a line twice throws `EBUSY`: each reader would get half of the radio's bytes.
public final class SerialPort: Sendable {
    /// The path of the device.
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

    /// The descriptor to poll for input.
    public var descriptor: Int32 { line.number }

    /// Appends the bytes that have arrived, at most `limit`, and returns how many; 0 if there are none.
    ///
    /// Throws `ENODATA`, `EIO` or another error of the device if the line is gone.
    @discardableResult
    public func read(into bytes: inout [UInt8], limit: Int = 4_096) throws(SystemError) -> Int {
        try line.read(into: &bytes, limit: limit, path)
    }

    /// Writes all bytes, in as many steps as needed; throws `ETIMEDOUT` if the line accepts no more.
    public func write(_ bytes: [UInt8], milliseconds: Int = 1_000) throws(SystemError) {
        try line.write(all: bytes, within: milliseconds, path)
    }
}
