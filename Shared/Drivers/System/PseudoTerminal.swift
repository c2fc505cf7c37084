internal import CSystem
internal import Glibc

/// A serial line without hardware: bytes written here are read from ``slavePath``, and vice versa.
public final class PseudoTerminal: Sendable {
    /// The path that a ``SerialPort`` opens.
    public let slavePath: String
    private let master: Descriptor
    /// Open, so that the line stays up while no other process has it open.
    private let slave: Descriptor

    /// Opens a new pseudo-terminal.
    public init() throws(SystemError) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        _ = try SystemError.checked(unsafe csystem_open_pty(&master, &slave, &path, path.count), "open pty")
        self.master = Descriptor(owning: master)
        self.slave = Descriptor(owning: slave)
        slavePath = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The descriptor to poll for bytes from the other side.
    public var descriptor: Int32 { master.number }

    /// Appends bytes from the other side, at most `limit`, and returns how many; 0 if there are none.
    @discardableResult
    public func read(into bytes: inout [UInt8], limit: Int = 4_096) throws(SystemError) -> Int {
        try master.read(into: &bytes, limit: limit, slavePath)
    }

    /// Writes all bytes to the other side; throws `ETIMEDOUT` if it does not read them.
    public func write(_ bytes: [UInt8], milliseconds: Int = 1_000) throws(SystemError) {
        try master.write(all: bytes, within: milliseconds, slavePath)
    }
}
