import Synchronization
import Telemetry
import Testing

@Suite("Meters")
struct MeterTests {
    let meter = Meter()

    /// The exposition without the meter's own metrics.
    var lines: [String] {
        meter.exposition().split(separator: "\n").map { String($0) }.filter {
            !$0.contains("furrow_meter_refused_total")
        }
    }

    var refused: String? {
        meter.exposition().split(separator: "\n").last { $0.hasPrefix("furrow_meter_refused_total ") }.map {
            String($0)
        }
    }

    @Test func `counters and gauges are exposed sorted by name and labels`() {
        meter.gauge("furrow_ledger_head_position", labels: ["service": "b"], 7)
        meter.count("furrow_ledger_events_total", labels: ["kind": "b", "farm": "x"], 3)
        meter.count("furrow_ledger_events_total", labels: ["kind": "a", "farm": "x"])
        meter.count("furrow_ledger_events_total", labels: ["farm": "x", "kind": "b"], 4)
        meter.gauge("furrow_ledger_head_position", labels: ["service": "b"], 7.5)
        meter.gauge("furrow_ledger_head_position", -1)
        #expect(
            lines == [
                "# TYPE furrow_ledger_events_total counter",
                #"furrow_ledger_events_total{farm="x",kind="a"} 1"#,
                #"furrow_ledger_events_total{farm="x",kind="b"} 7"#,
                "# TYPE furrow_ledger_head_position gauge",
                "furrow_ledger_head_position -1",
                #"furrow_ledger_head_position{service="b"} 7.5"#,
            ])
        #expect(meter.exposition().hasSuffix("\n"))
        #expect(refused == "furrow_meter_refused_total 0")
    }

    @Test func `histograms are exposed as cumulative buckets`() {
        let append = meter.histogram("furrow_ledger_append_seconds", labels: ["engine": "sqlite"], bounds: [1, 2])
        for value in [0.5, 1, 1.5, .nan, 2, 100] { append.observe(value) }
        meter.histogram("furrow_ledger_wait_seconds", bounds: []).observe(0.3)
        #expect(
            lines == [
                "# TYPE furrow_ledger_append_seconds histogram",
                #"furrow_ledger_append_seconds_bucket{engine="sqlite",le="1"} 2"#,
                #"furrow_ledger_append_seconds_bucket{engine="sqlite",le="2"} 4"#,
                #"furrow_ledger_append_seconds_bucket{engine="sqlite",le="+Inf"} 5"#,
                #"furrow_ledger_append_seconds_sum{engine="sqlite"} 105"#,
                #"furrow_ledger_append_seconds_count{engine="sqlite"} 5"#,
                "# TYPE furrow_ledger_wait_seconds histogram",
                #"furrow_ledger_wait_seconds_bucket{le="+Inf"} 1"#,
                "furrow_ledger_wait_seconds_sum 0.3",
                "furrow_ledger_wait_seconds_count 1",
            ])
        // The first call for a name set the bounds.
        meter.histogram("furrow_ledger_append_seconds", labels: ["engine": "memory"], bounds: [5, 6, 7]).observe(1.5)
        #expect(lines.contains(#"furrow_ledger_append_seconds_bucket{engine="memory",le="2"} 1"#))
        #expect(!lines.contains { $0.contains(#"le="5""#) })
    }

    @Test func `a histogram is exposed as zeros before its first value, and is the same on a second call`() {
        _ = meter.histogram("furrow_ledger_append_seconds", bounds: [1, 2])
        #expect(
            lines == [
                "# TYPE furrow_ledger_append_seconds histogram",
                #"furrow_ledger_append_seconds_bucket{le="1"} 0"#, #"furrow_ledger_append_seconds_bucket{le="2"} 0"#,
                #"furrow_ledger_append_seconds_bucket{le="+Inf"} 0"#, "furrow_ledger_append_seconds_sum 0",
                "furrow_ledger_append_seconds_count 0",
            ])
        meter.histogram("furrow_ledger_append_seconds", bounds: [7]).observe(1.5)
        #expect(lines.contains(#"furrow_ledger_append_seconds_bucket{le="2"} 1"#))
    }

    @Test func `numbers and labels are exposed in the format of Prometheus`() {
        meter.gauge("furrow_a", labels: ["v": "say \"hi\"\\\n"], .nan)
        meter.gauge("furrow_b", .infinity)
        meter.gauge("furrow_c", -.infinity)
        meter.gauge("furrow_d", 1e300)
        meter.gauge("furrow_e", 9_007_199_254_740_992)
        #expect(
            lines.filter { !$0.hasPrefix("#") } == [
                #"furrow_a{v="say \"hi\"\\\n"} NaN"#, "furrow_b +Inf", "furrow_c -Inf", "furrow_d 1e+300",
                "furrow_e 9007199254740992",
            ])
    }

    @Test func `a meter rejects invalid names, changed kinds and negative amounts`() {
        meter.count("furrow_kept_total")
        meter.gauge("furrow_kept_total", 1)
        meter.count("furrow_kept_total", -1)
        meter.count("furrow-dashed")
        meter.count("1furrow")
        meter.count("")
        meter.count("furrow_ümlaut")
        meter.count("furrow_kept_total", labels: ["bad-label": "x"])
        meter.count("furrow_kept_total", labels: ["": "x"])
        meter.histogram("furrow_falling_seconds", bounds: [2, 1]).observe(1)
        meter.histogram("furrow_kept_total").observe(1)
        #expect(lines == ["# TYPE furrow_kept_total counter", "furrow_kept_total 1"])
        #expect(refused == "furrow_meter_refused_total 10")
    }

    @Test func `a meter stores a limited number of names, series and labels`() {
        for number in 0..<10_000 { meter.count("furrow_series_total", labels: ["id": "\(number)"]) }
        #expect(lines.count == TelemetryLimits.seriesMax + 1)
        for number in 0..<10_000 { meter.count("furrow_name_\(number)_total") }
        #expect(lines.filter { $0.hasPrefix("# TYPE") }.count <= TelemetryLimits.metricsMax)
        let labels = (0...TelemetryLimits.labelsMax).map { ("l\($0)", "x") }
        meter.count("furrow_series_total", labels: [String: String](uniqueKeysWithValues: labels))
        meter.count("furrow_series_total", labels: ["id": "0"])
        #expect(lines.contains(#"furrow_series_total{id="0"} 2"#))
        let own = Meter()
        own.gauge("furrow_long", labels: ["v": String(repeating: "x", count: 100_000)], 1)
        #expect(own.exposition().utf8.count < 1_000)
    }

    @Test func `a meter counts exactly under many threads`() async {
        let busy = meter.histogram("furrow_busy_seconds")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<5_000 {
                        meter.count("furrow_busy_total", labels: ["odd": "\(number % 2)"])
                        busy.observe(0.001)
                    }
                }
            }
        }
        #expect(lines.contains(#"furrow_busy_total{odd="1"} 20000"#))
        #expect(lines.contains("furrow_busy_seconds_count 40000"))
    }
}
