import HTTP
import Telemetry
import Testing

@testable import Host

@Suite("The ops endpoint")
struct OpsEndpointTests {
    @Test func `the ops endpoint listens at the loopback address, or at the address of the settings`() throws {
        let health = HealthRegistry(service: "counting", meter: Meter())
        let usual = try OpsEndpoint(port: 0, health: health)
        let wide = try OpsEndpoint(address: "0.0.0.0", port: 0, health: health)
        defer {
            usual.close()
            wide.close()
        }
        // Another loopback address stands for the network.
        for address in ["127.0.0.1", "127.0.0.2"] {
            #expect(try status("http://\(address):\(wide.port)/metrics") == 200)
        }
        #expect(try status("http://127.0.0.1:\(usual.port)/healthz") == 200)
        #expect(throws: (any Error).self) { try status("http://127.0.0.2:\(usual.port)/healthz") }
    }

    private func status(_ url: String) throws -> Int {
        try HTTPClient().send("GET", url, timeoutSeconds: 5).status
    }
}
