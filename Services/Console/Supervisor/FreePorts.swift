import HTTP
import System

/// Ports of this machine for the services of one run, each given once.
///
/// They lie beside those that the kernel gives to whoever asks for any, so that nobody is given the port of a service
/// while it is started anew. A kernel that gives out nearly all of them leaves no such room.
struct FreePorts {
    private let range: Range<Int>
    private var given: Set<Int>

    private static let lowest = 10_000
    private static let tries = 1_000

    /// - Parameter others: what is spoken for otherwise.
    init(besides others: Set<Int> = []) {
        given = others
        let kernels = Self.kernels
        let beside = [Self.lowest..<max(Self.lowest, kernels.lowerBound), min(kernels.upperBound + 1, 65_536)..<65_536]
        range = beside.first { $0.count >= Self.tries } ?? Self.lowest..<65_536
    }

    /// A port at which nobody listens, the preferred one if it is such.
    mutating func take(preferring preferred: Int? = nil, at address: String = "127.0.0.1") throws(Refusal) -> Int {
        for turn in 0..<Self.tries {
            let port = turn == 0 ? preferred ?? Int.random(in: range) : Int.random(in: range)
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

    /// The kernel's own ports; Linux has 32768 to 60999 unless told otherwise.
    static var kernels: ClosedRange<Int> {
        let told = Result { () throws(SystemError) in
            try File.read("/proc/sys/net/ipv4/ip_local_port_range", limit: 100)
        }
        guard case .success(let bytes) = told else { return 32_768...60_999 }
        let ends = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard ends.count == 2, 1 <= ends[0], ends[0] <= ends[1], ends[1] <= 65_535 else { return 32_768...60_999 }
        return ends[0]...ends[1]
    }
}
