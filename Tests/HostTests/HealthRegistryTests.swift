import JSON
import Synchronization
import Telemetry
import Testing

@testable import Host

@Suite("The health registry")
struct HealthRegistryTests {
    /// A clock that only the test moves.
    private final class Hand: Sendable {
        let seconds = Atomic<Int64>(1_000)
    }

    @Test func `a loop that makes no progress is reported as down until it continues`() {
        // given a service that is ready
        let hand = Hand()
        let health = HealthRegistry(
            service: "counting", meter: Meter(), now: { hand.seconds.load(ordering: .relaxed) * 1_000_000 })
        health.set("journal", .ok)
        // and no check of the loop before it is ready, because a start may take long
        hand.seconds.add(3_600, ordering: .relaxed)
        #expect(health.report.checks["loop"] == nil)
        health.setReady()
        health.update(ServiceStatus(origin: "counting/farm-0"))
        #expect(health.report.isReady && ready(health) == 1)

        // when the loop makes no progress, as with a disk that no longer responds
        hand.seconds.add(HostLimits.loopSeconds, ordering: .relaxed)
        // then the health report is down
        #expect(!health.report.isReady && health.report.checks["loop"]?.status == .down)
        #expect(ready(health) == 0)

        // and when the disk responds again, the report recovers
        health.turned()
        #expect(health.report.isReady && ready(health) == 1)
    }

    @Test func `the figures of a service are exposed, and a limit that leaves work undone degrades it`() {
        // given
        let health = HealthRegistry(service: "counting", meter: Meter())
        var status = ServiceStatus(origin: "counting/farm-0")
        status.limits = ServiceLimits(figures: ["products_listed": 3000], remark: "952 are outside")
        // when
        health.update(status)
        health.set("limits", status.limitsCheck)
        // then
        let gauge = #"furrow_products_listed{origin="counting/farm-0",service="counting"} 3000"#
        #expect(health.metrics.contains(gauge + "\n"))
        #expect(health.report.checks["limits"]?.status == .ok)
        var json = JSONWriter()
        json.object { status.write(to: &$0, report: health.report) }
        #expect(json.text.contains(#""figures":{"products_listed":3000},"remark":"952 are outside""#))
        // and when
        status.limits = ServiceLimits(figures: ["products_listed": 3000], shortfall: "sales are not counted")
        health.set("limits", status.limitsCheck)
        // then
        #expect(health.report.checks["limits"]?.status == .degraded)
        #expect(health.report.checks["limits"]?.detail == "sales are not counted")
    }

    private func ready(_ health: HealthRegistry) -> Int? {
        health.metrics.split(separator: "\n").first { $0.hasPrefix("furrow_ready{") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }
}
