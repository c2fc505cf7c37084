import HTTP
import Testing

@testable import Console

@Suite("Free ports")
struct FreePortsTests {
    @Test func `each free port is given once and is outside the kernel's ephemeral range`() throws {
        var ports = FreePorts(besides: [10_000])
        let given = try (0..<500).map { _ in try ports.take() }
        print("\(given.count) ports, from \(given.min() ?? 0) to \(given.max() ?? 0)")
        #expect(Set(given).count == 500 && !given.contains(10_000))
        let kernels = try HTTPServer(address: "127.0.0.1", port: 0) { _ in }
        defer { kernels.stop() }
        #expect(FreePorts.kernels.contains(kernels.port))
        #expect(given.allSatisfy { !FreePorts.kernels.contains($0) })
    }

    @Test func `a port on which a process listens is not free`() throws {
        var ports = FreePorts()
        let port = try ports.take()
        #expect(try FreePorts.isFree(port))
        let server = try HTTPServer(address: "127.0.0.1", port: port) { _ in }
        #expect(try !FreePorts.isFree(port))
        server.stop()
        // Not an address of this machine (RFC 5737).
        #expect(throws: Refusal.self) { try FreePorts.isFree(port, at: "192.0.2.1") }
    }

    @Test func `a service gets its former port again unless another process listens on it`() throws {
        let home = try Folder()
        func take() throws -> [Int] {
            var (free, known) = (FreePorts(), OpsPorts(in: home.path))
            return try ["trace-ledger/farm-0", "sensor-ingest/farm-0"].map { try known.take(for: $0, from: &free) }
        }
        let first = try take()
        #expect(try take() == first)
        let server = try HTTPServer(address: "127.0.0.1", port: first[0]) { _ in }
        let second = try take()
        server.stop()
        #expect(second[0] != first[0] && second[1] == first[1])
        #expect(try take() == second)
        // An unreadable file of ports does not prevent a start.
        try home.write("ports.json", [0x7B])
        #expect(try take().count == 2)
    }
}
