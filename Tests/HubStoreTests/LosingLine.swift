import Crypto
import EventStore
import Foundation
import Glibc
import HubStore
import Synchronization
import Vocabulary

/// A proxy for PostgreSQL that closes the connection after the server has committed, before the client is informed.
final class LosingLine: Sendable {
    private let folder: String
    private let listener: Int32
    private let trigger = Trigger()

    /// Whether the next commit's response is dropped. The proxy's threads share this, so that they do not retain the
    /// proxy.
    private final class Trigger: Sendable {
        let isArmed = Mutex(false)

        func lets(_ answer: [UInt8]) -> Bool {
            // CommandComplete: `C`, a length of 11, `COMMIT` and a NUL.
            let committed: [UInt8] = [0x43, 0, 0, 0, 11] + Array("COMMIT".utf8) + [0]
            return answer.firstRange(of: committed) == nil || !isArmed.withLock { $0 }
        }
    }

    /// Returns `real` with the proxy's socket folder as the host.
    func conninfo(_ real: String) -> String {
        real.split(separator: " ").map { $0.hasPrefix("host=") ? "host=\(folder)" : String($0) }.joined(separator: " ")
    }

    /// Closes the connection at the next response that confirms a commit.
    func loseNextCommit() {
        trigger.isArmed.withLock { $0 = true }
    }

    /// Starts a proxy for the server whose socket is in the folder `host`.
    init(to host: String) throws {
        folder = "/tmp/furrow-line-\(Hex.encode(Random.bytes(6)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = unsafe Self.withAddress("\(folder)/.s.PGSQL.5432") { unsafe bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 8) == 0 else { throw POSIXError(.EIO) }
        let (number, trigger) = (listener, trigger)
        Thread.detachNewThread { Self.serve(number, host, trigger) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("left \(folder)") }
    }

    private static func serve(_ listener: Int32, _ host: String, _ trigger: Trigger) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let connected = unsafe withAddress("\(host)/.s.PGSQL.5432") { unsafe connect(server, $0, $1) }
            guard connected == 0 else {
                close(client)
                continue
            }
            Thread.detachNewThread { carry(from: client, to: server) { _ in true } }
            Thread.detachNewThread { carry(from: server, to: client) { trigger.lets($0) } }
        }
    }

    /// Forwards bytes until one end is closed or `isCarried` returns false; then closes both.
    private static func carry(from source: Int32, to target: Int32, while isCarried: ([UInt8]) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(source, &buffer, buffer.count, 0)
            guard count > 0, isCarried(Array(buffer.prefix(count))) else { break }
            var sent = 0
            while sent < count {
                let part = Array(buffer[sent..<count])
                let done = unsafe send(target, part, part.count, Int32(MSG_NOSIGNAL))
                guard done > 0 else { break }
                sent += done
            }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
