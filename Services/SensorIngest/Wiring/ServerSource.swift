import Crypto
import HTTP
import Host
import Synchronization
import System
import Vocabulary

/// The connection to a server, over TCP or TLS: an MQTT broker, or a ZigBee coordinator with a network socket.
///
/// It is established on a thread of its own, because names are resolved and certificates are verified by blocking
/// calls. After an attempt or a connection that failed, the next attempt waits: one second, twice as long each time, up
/// to a minute, of which half is random so that clients do not return together.
final class ServerSource: Source {
    let name: String
    private let authority: String
    private let isSecure: Bool
    private let caFile: String?
    /// The advice for a certificate that is not trusted; empty without TLS.
    private let advice: String
    /// The lock that makes one process the owner; nil if several may connect.
    private let lockPath: String?
    private var lock: FileLock?
    private var connection: ServerConnection?
    private var unsent: [UInt8] = []
    private var attempt: Attempt?
    private var pause = ServerSource.pauseSeconds
    /// The monotonic times, in microseconds, before which no attempt is made, and of the connection.
    private var notBefore: Int64 = 0
    private var connected: Int64 = 0
    private(set) var problem: String?

    /// Bytes of one read, and bytes that wait to be sent.
    private static let readBytes = 256 << 10
    private static let unsentBytes = 1 << 20
    /// The shortest and the longest pause before the next attempt to connect, in seconds.
    private static let pauseSeconds = 1.0
    private static let longestPauseSeconds = 60.0
    /// Seconds after which a connection counts as stable, so that the pause is short again.
    private static let stableSeconds = 60.0

    /// One attempt to connect, on its thread.
    private final class Attempt: Sendable {
        private let result = Mutex<Result<ServerConnection, HTTPError>?>(nil)

        /// Returns the result, once; nil while there is none.
        func take() -> Result<ServerConnection, HTTPError>? {
            result.withLock { result in
                defer { result = nil }
                return result
            }
        }

        func finish(_ outcome: Result<ServerConnection, HTTPError>) { result.withLock { $0 = outcome } }
    }

    /// Creates the connection to a server at an authority: host and port.
    init(
        name: String, authority: String, isSecure: Bool = false, caFile: String? = nil, advice: String = "",
        lockPath: String? = nil
    ) {
        self.name = name
        self.authority = authority
        self.isSecure = isSecure
        self.caFile = caFile
        self.advice = advice
        self.lockPath = lockPath
    }

    var descriptor: Int32? { connection?.descriptor }

    func read() -> [UInt8] {
        guard let connection else { return [] }
        send([])
        do {
            return try connection.read(limit: Self.readBytes)
        } catch {
            lose("the connection has ended: \(error.message)")
            return []
        }
    }

    func write(_ bytes: [UInt8]) { send(bytes) }

    func close(why: String) {
        if connection != nil { lose(why) }
    }

    func reopen() -> Bool {
        if let attempt {
            guard let outcome = attempt.take() else { return false }
            self.attempt = nil
            switch outcome {
            case .success(let opened):
                (connection, unsent) = (opened, [])
                connected = Clock.monotonicMicroseconds()
                return true
            case .failure(let error):
                lose("cannot connect: \(error.message)\(error.kind == .untrusted ? advice : "")")
                return false
            }
        }
        guard connection == nil, Clock.monotonicMicroseconds() >= notBefore, isOwner() else { return false }
        begin()
        return false
    }

    /// Whether this process may connect.
    private func isOwner() -> Bool {
        guard let lockPath, lock == nil else { return true }
        do {
            lock = try FileLock(path: lockPath)
        } catch {
            problem = "cannot lock \(lockPath): \(error)"
        }
        return lock != nil
    }

    private func begin() {
        let attempt = Attempt()
        do {
            _ = try Worker(name: "connect") { [authority, isSecure, caFile] in
                attempt.finish(
                    Result { () throws(HTTPError) in
                        try ServerConnection(to: authority, isSecure: isSecure, caFile: caFile)
                    })
            }
            self.attempt = attempt
        } catch {
            lose("cannot connect: \(error)")
        }
    }

    private func send(_ bytes: [UInt8]) {
        guard let connection else { return }
        unsent += bytes
        guard !unsent.isEmpty else { return }
        do {
            unsent.removeFirst(try connection.write(unsent[...]))
        } catch {
            return lose("the connection has ended: \(error.message)")
        }
        if unsent.count > Self.unsentBytes { lose("it accepts nothing") }
    }

    /// Gives up the connection; the next attempt is made after a pause.
    private func lose(_ why: String) {
        let now = Clock.monotonicMicroseconds()
        if connection != nil, now - connected > Int64(Self.stableSeconds * 1_000_000) {
            pause = Self.pauseSeconds
        }
        (connection, unsent) = (nil, [])
        problem = why
        let random = Double(Random.bytes(1)[0]) / 255
        notBefore = now + Int64(pause * (0.5 + random / 2) * 1_000_000)
        pause = min(pause * 2, Self.longestPauseSeconds)
    }
}
