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
        let board = HealthRegistry(
            service: "counting", meter: Meter(), now: { hand.seconds.load(ordering: .relaxed) * 1_000_000 })
        board.set("journal", .ok)
        // and no check of the loop before it is ready, because a start may take long
        hand.seconds.add(3_600, ordering: .relaxed)
        #expect(board.report.checks["loop"] == nil)
        board.setReady()
        board.update(ServiceStatus(origin: "counting/farm-0"))
        #expect(board.report.isReady && ready(board) == 1)

        // when the loop makes no progress, as with a disk that no longer responds
        hand.seconds.add(HostLimits.loopSeconds, ordering: .relaxed)
        // then the health report is down
        #expect(!board.report.isReady && board.report.checks["loop"]?.status == .down)
        #expect(ready(board) == 0)

        // and when the disk responds again, the report recovers
        board.turned()
        #expect(board.report.isReady && ready(board) == 1)
    }

    @Test func `the figures of a service are exposed, and a limit that leaves work undone degrades it`() {
        // given
        let board = HealthRegistry(service: "counting", meter: Meter())
        var standing = ServiceStatus(origin: "counting/farm-0")
        standing.limits = ServiceLimits(figures: ["products_listed": 3000], remark: "952 are outside")
        // when
        board.update(standing)
        board.set("limits", standing.limitsCheck)
        // then
        let gauge = #"furrow_products_listed{origin="counting/farm-0",service="counting"} 3000"#
        #expect(board.metrics.contains(gauge + "\n"))
        #expect(board.report.checks["limits"]?.status == .ok)
        var json = JSONWriter()
        json.object { standing.write(to: &$0, report: board.report) }
        #expect(json.text.contains(#""figures":{"products_listed":3000},"remark":"952 are outside""#))
        // and when
        standing.limits = ServiceLimits(figures: ["products_listed": 3000], shortfall: "sales are not counted")
        board.set("limits", standing.limitsCheck)
        // then
        #expect(board.report.checks["limits"]?.status == .degraded)
        #expect(board.report.checks["limits"]?.detail == "sales are not counted")
    }

    private func ready(_ board: HealthRegistry) -> Int? {
        board.metrics.split(separator: "\n").first { $0.hasPrefix("furrow_ready{") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }
}
