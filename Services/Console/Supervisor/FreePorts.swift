import HTTP
import System

/// Ports of this machine for the services of one run, each given once.
///
/// They lie below those that the kernel gives to whoever asks for any, so that nobody is given the port of a service
/// while it is started anew, nor two services the same one.
struct FreePorts {
    private let range: Range<Int>
    private var given: Set<Int>

    private static let lowest = 10_000
    private static let tries = 1_000

    /// - Parameter others: what is spoken for otherwise.
    init(besides others: Set<Int> = []) {
        given = others
        range = Self.lowest..<Self.kernelsLowest
    }

    /// A port at which nobody listens.
    mutating func take(at address: String = "127.0.0.1") throws(Refusal) -> Int {
        for _ in 0..<Self.tries {
            let port = Int.random(in: range)
            guard !given.contains(port), try Self.isFree(port, at: address) else { continue }
            given.insert(port)
            return port
        }
        throw Refusal("None of \(Self.tries) ports that were tried on \(address), from \(range), is free.")
    }

    /// Fails for an address at which nobody could listen.
    static func isFree(_ port: Int, at address: String = "127.0.0.1") throws(Refusal) -> Bool {
        do throws(HTTPError) {
            // For a moment; the service does so for good soon after.
            try HTTPServer(address: address, port: port) { _ in }.stop()
            return true
        } catch {
            guard case .portTaken = error.kind else { throw Refusal("Nothing can be served: \(error.message).") }
            return false
        }
    }

    /// Where the kernel's own ports begin; Linux begins at 32768 unless told otherwise.
    private static var kernelsLowest: Int {
        let told = Result { () throws(SystemError) in
            try File.read("/proc/sys/net/ipv4/ip_local_port_range", limit: 100)
        }
        guard case .success(let bytes) = told,
            let first = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first,
            let port = Int(first), port > lowest + tries, port <= 65_536
        else { return 32_768 }
        return port
    }
}
