import Crypto
import HTTP
import Host
import Synchronization
import System
import Vocabulary

/// The connection to an MQTT broker, over TCP or TLS.
///
/// It is established on a thread of its own, because names are resolved and certificates are verified by blocking
/// calls. After an attempt or a connection that failed, the next attempt waits: one second, twice as long each time, up
/// to a minute, of which half is random so that clients do not return together.
final class MQTTSource: Source {
    let name: String
    private let authority: String
    private let isSecure: Bool
    private let caFile: String?
    private var connection: ServerConnection?
    private var unsent: [UInt8] = []
    private var attempt: Attempt?
    private var pause = MQTTLimits.pauseSeconds
    /// The monotonic times, in microseconds, before which no attempt is made, and of the connection.
    private var notBefore: Int64 = 0
    private var connected: Int64 = 0
    private(set) var problem: String?

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

    /// - Parameter authority: Host and port of the broker.
    init(name: String, authority: String, isSecure: Bool, caFile: String?) {
        self.name = name
        self.authority = authority
        self.isSecure = isSecure
        self.caFile = caFile
    }

    var descriptor: Int32? { connection?.descriptor }

    func read() -> [UInt8] {
        guard let connection else { return [] }
        send([])
        do {
            return try connection.read(limit: MQTTLimits.readBytes)
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
        guard connection == nil, Clock.monotonicMicroseconds() >= notBefore else { return false }
        begin()
        return false
    }

    private var advice: String { "; FURROW_MQTT_AUTHORITY names the file of the authority to trust" }

    private func begin() {
        let attempt = Attempt()
        do {
            _ = try Worker(name: "mqtt-connect") { [authority, isSecure, caFile] in
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
        if unsent.count > MQTTLimits.unsentBytes { lose("the broker accepts nothing") }
    }

    /// Gives up the connection; the next attempt is made after a pause.
    private func lose(_ why: String) {
        let now = Clock.monotonicMicroseconds()
        if connection != nil, now - connected > Int64(MQTTLimits.stableSeconds * 1_000_000) {
            pause = MQTTLimits.pauseSeconds
        }
        (connection, unsent) = (nil, [])
        problem = why
        let random = Double(Random.bytes(1)[0]) / 255
        notBefore = now + Int64(pause * (0.5 + random / 2) * 1_000_000)
        pause = min(pause * 2, MQTTLimits.longestPauseSeconds)
    }
}

/// The settings of the connection to a broker.
struct BrokerAddress: Equatable {
    let authority: String
    let isSecure: Bool

    /// Reads `mqtt://host`, `mqtts://host:port`; nil for anything else, also with a user or a path.
    init?(_ text: String) {
        guard let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound]
        var host = text[end.upperBound...]
        if host.hasSuffix("/") { host.removeLast() }
        guard scheme == "mqtt" || scheme == "mqtts", !host.isEmpty, host.utf8.count <= 255,
            host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && !"/@?#".utf8.contains($0) })
        else { return nil }
        isSecure = scheme == "mqtts"
        let hasPort = host.hasPrefix("[") ? host.contains("]:") : host.contains(":")
        authority = hasPort ? String(host) : "\(host):\(isSecure ? 8883 : 1883)"
    }
}
