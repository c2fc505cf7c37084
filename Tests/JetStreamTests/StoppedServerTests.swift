import Crypto
import Glibc
import NATS
import System
import TestKit
import Testing

@Suite("A connection to a NATS server")
struct StoppedServerTests {
    /// More than the sockets of both sides buffer.
    private static let bytes = 256 << 20

    @Test func `fails to publish, and does not block, when the server takes nothing any more`() throws {
        let port = 32_000 + Int(Random.bytes(2).reduce(0) { $0 << 8 | UInt16($1) } % 600)
        let server = try Process(
            Process.Command(NATSCluster.installedServer(), ["--addr", "127.0.0.1", "--port", "\(port)"]))
        let connection = try Self.connection(to: port)
        _ = try connection.publish(NATSMessage("before", body: [1]))
        try server.kill(SIGSTOP)
        let message = NATSMessage("after", body: [UInt8](repeating: 0, count: 512 << 10))
        #expect(throws: NATSError.self) {
            for _ in 0..<(Self.bytes / message.body.count) { try connection.publish(message) }
        }
        try server.kill(SIGKILL)
        _ = try server.wait(milliseconds: 5_000)
    }

    /// Connects as soon as the server listens.
    private static func connection(to port: Int) throws -> NATSConnection {
        let end = Clock.monotonicMicroseconds() + 10_000_000
        while true {
            do throws(NATSError) {
                return try NATSConnection(NATSOptions(servers: ["nats://127.0.0.1:\(port)"], name: "test"))
            } catch {
                guard Clock.monotonicMicroseconds() < end else { throw error }
                _ = try Poll.wait([], milliseconds: 20)
            }
        }
    }
}
