import HTTP
import System

/// Ports of this machine for the services of one run, each assigned once.
///
/// They are outside the kernel's range of ephemeral ports, so that no other program gets the port of a service that is
/// restarting. If that range leaves too few ports, the range is ignored.
struct FreePorts {
    private let range: Range<Int>
    private var given: Set<Int>

    private static let lowest = 10_000
    private static let tries = 1_000

    /// - Parameter others: ports that are assigned already.
    init(besides others: Set<Int> = []) {
        given = others
        let kernels = Self.kernels
        let beside = [Self.lowest..<max(Self.lowest, kernels.lowerBound), min(kernels.upperBound + 1, 65_536)..<65_536]
        range = beside.first { $0.count >= Self.tries } ?? Self.lowest..<65_536
    }

    /// Returns a port on which nothing listens, `preferred` if it is free.
    ///
    /// Throws `Refusal` if no port is found in 1,000 tries.
    mutating func take(preferring preferred: Int? = nil, at address: String = "127.0.0.1") throws(Refusal) -> Int {
        for turn in 0..<Self.tries {
            let port = turn == 0 ? preferred ?? Int.random(in: range) : Int.random(in: range)
            guard !given.contains(port), try Self.isFree(port, at: address) else { continue }
            given.insert(port)
            return port
        }
        throw Refusal("None of \(Self.tries) ports that were tried on \(address), from \(range), is free.")
    }

    /// Returns whether nothing listens on the port. Throws `Refusal` if `address` cannot be listened on.
    static func isFree(_ port: Int, at address: String = "127.0.0.1") throws(Refusal) -> Bool {
        do throws(HTTPError) {
            // The test binds the port briefly; the service binds it soon after.
            try HTTPServer(address: address, port: port) { _ in }.stop()
            return true
        } catch {
            guard case .portTaken = error.kind else { throw Refusal("Nothing can be served: \(error.message).") }
            return false
        }
    }

    /// The kernel's range of ephemeral ports; 32768 to 60999, the default of Linux, if it cannot be read.
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
