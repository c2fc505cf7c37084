import HTTP
import Testing

@testable import Console

@Suite("A free port")
struct FreePortsTests {
    /// A service that was started anew once found its port with another that had been given the same.
    @Test func `is given to one service, and lies where the kernel gives none out`() throws {
        var ports = FreePorts(besides: [10_000])
        let given = try (0..<500).map { _ in try ports.take() }
        print("\(given.count) ports, from \(given.min() ?? 0) to \(given.max() ?? 0)")
        #expect(Set(given).count == 500 && !given.contains(10_000))
        let kernels = try HTTPServer(address: "127.0.0.1", port: 0) { _ in }
        defer { kernels.stop() }
        #expect(FreePorts.kernels.contains(kernels.port))
        #expect(given.allSatisfy { !FreePorts.kernels.contains($0) })
    }

    @Test func `is none where somebody listens`() throws {
        var ports = FreePorts()
        let port = try ports.take()
        #expect(try FreePorts.isFree(port))
        let server = try HTTPServer(address: "127.0.0.1", port: port) { _ in }
        #expect(try !FreePorts.isFree(port))
        server.stop()
        // Not an address of this machine (RFC 5737).
        #expect(throws: Refusal.self) { try FreePorts.isFree(port, at: "192.0.2.1") }
    }
}
