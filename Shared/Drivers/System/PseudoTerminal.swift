internal import CSystem
internal import Glibc

/// A serial line without hardware: what is written here is read from ``slavePath`` and the other way round.
public final class PseudoTerminal: Sendable {
    /// What a ``SerialPort`` opens.
    public let slavePath: String
    private let master: Descriptor
    /// Kept open, so that the line stays up while nobody else has it open.
    private let slave: Descriptor

    public init() throws(SystemError) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        _ = try SystemError.checked(unsafe csystem_open_pty(&master, &slave, &path, path.count), "open pty")
        self.master = Descriptor(owning: master)
        self.slave = Descriptor(owning: slave)
        slavePath = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// To poll for what the other side wrote.
    public var descriptor: Int32 { master.number }

    /// Appends what the other side wrote, at most `limit` bytes, and returns how many; 0 where nothing is.
    @discardableResult
    public func read(into bytes: inout [UInt8], limit: Int = 4_096) throws(SystemError) -> Int {
        try master.read(into: &bytes, limit: limit, slavePath)
    }

    /// Writes all bytes towards the other side; `ETIMEDOUT` where it doesn't read.
    public func write(_ bytes: [UInt8], milliseconds: Int = 1_000) throws(SystemError) {
        try master.write(all: bytes, within: milliseconds, slavePath)
    }
}
