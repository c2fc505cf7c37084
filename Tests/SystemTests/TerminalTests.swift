import Glibc
import Synchronization
import System
import Testing

@Suite("Serial ports")
struct SerialPortTests {
    @Test(arguments: [9_600, 38_400, 115_200, 921_600] as [UInt32])
    func `a serial port carries every byte in both directions unchanged`(baud: UInt32) throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(path: terminal.slavePath, baud: baud)
        let all = (0...255).map { UInt8($0) }
        try port.write(all)
        #expect(try collect(all.count, from: terminal.descriptor) { try terminal.read(into: &$0) } == all)
        try terminal.write(all.reversed())
        #expect(try collect(all.count, from: port.descriptor) { try port.read(into: &$0, limit: 7) } == all.reversed())
    }

    @Test func `reading a serial port appends what has arrived, and returns zero if nothing has`() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(path: terminal.slavePath)
        var bytes: [UInt8] = [1]
        #expect(try port.read(into: &bytes) == 0)
        #expect(bytes == [1])
        try terminal.write([2, 3])
        #expect(try Poll.wait([port.descriptor], milliseconds: 20_000) == [port.descriptor])
        #expect(try port.read(into: &bytes) == 2)
        #expect(bytes == [1, 2, 3])
        #expect(try port.read(into: &bytes) == 0)
    }

    @Test func `a serial port writes more than its buffer holds while the other side reads`() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(path: terminal.slavePath)
        let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let failure = Mutex<SystemError?>(nil)
        let writer = try Worker(name: "writer") {
            do throws(SystemError) {
                try port.write(sent, milliseconds: 60_000)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        let got = try collect(sent.count, from: terminal.descriptor) { try terminal.read(into: &$0, limit: 10_000) }
        writer.join()
        #expect(got == sent)
        #expect(failure.withLock { $0 } == nil)
    }

    @Test func `writing to a serial port times out if the other side does not read`() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(path: terminal.slavePath)
        let error = #expect(throws: SystemError.self) {
            try port.write([UInt8](repeating: 0, count: 10_000_000), milliseconds: 50)
        }
        #expect(error?.code == ETIMEDOUT)
    }

    @Test func `a serial port whose line is gone throws`() throws {
        var terminal: PseudoTerminal? = try PseudoTerminal()
        let port = try SerialPort(path: #require(terminal).slavePath)
        terminal = nil
        #expect(try Poll.wait([port.descriptor], milliseconds: 20_000) == [port.descriptor])
        var bytes: [UInt8] = []
        #expect(throws: SystemError.self) { try port.read(into: &bytes) }
        #expect(throws: SystemError.self) { try port.write([1]) }
        #expect(bytes.isEmpty)
    }

    @Test func `a serial port is opened once, at a known speed, on a terminal`() throws {
        let terminal = try PseudoTerminal()
        let path = terminal.slavePath
        var port: SerialPort? = try SerialPort(path: path)
        #expect(port?.path == path)
        #expect(throws: SystemError(code: EBUSY, operation: "open serial port", path: path)) {
            try SerialPort(path: path)
        }
        port = nil
        #expect(throws: Never.self) { try reopened(path) }
        #expect(throws: SystemError(code: EINVAL, operation: "open serial port", path: path)) {
            try SerialPort(path: path, baud: 12_345)
        }
        #expect(throws: SystemError(code: ENOTTY, operation: "open serial port", path: "/dev/null")) {
            try SerialPort(path: "/dev/null")
        }
        #expect(throws: SystemError(code: ENOENT, operation: "open serial port", path: "/dev/no-such-port")) {
            try SerialPort(path: "/dev/no-such-port")
        }
    }

    @Test func `a serial port can be reopened after a restart of its reader`() throws {
        let terminal = try PseudoTerminal()
        for round in 0..<20 {
            let port = try reopened(terminal.slavePath)
            try terminal.write([UInt8(round)])
            #expect(try collect(1, from: port.descriptor) { try port.read(into: &$0) } == [UInt8(round)])
        }
    }

    private func reopened(_ path: String) throws -> SerialPort {
        try soon {
            do throws(SystemError) { return try SerialPort(path: path) } catch {
                guard error.code == EBUSY else { throw error }
                return nil
            }
        }
    }

    private func collect(
        _ count: Int, from descriptor: Int32, _ read: (inout [UInt8]) throws -> Int
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            try #require(try Poll.wait([descriptor], milliseconds: 20_000) == [descriptor])
            _ = try read(&bytes)
        }
        return bytes
    }
}
