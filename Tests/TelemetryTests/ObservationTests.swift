import Telemetry
import Testing

@Suite("Observations")
struct ObservationTests {
    struct BatchAppended: Observation {
        static let message: StaticString = "batch appended"
        let count: Int
        let seconds: Double

        var metadata: [String: String] { ["batch.count": "\(count)"] }

        func measure(in meter: Meter) {
            meter.count("furrow_ledger_events_total", count)
            meter.histogram("furrow_ledger_append_seconds").observe(seconds)
        }
    }

    struct Stopped: Observation {
        static let message: StaticString = "stopped"
        var level: Logger.Level { .notice }
        func measure(in meter: Meter) {}
    }

    @Test func `an observation is logged once and counted once`() {
        let recorder = Recorder()
        BatchAppended(count: 3, seconds: 0.25).emit(recorder.logger, recorder.meter)
        Stopped().emit(recorder.logger, recorder.meter)
        #expect(recorder.lines.map(\.message) == ["batch appended", "stopped"])
        #expect(recorder.lines.map(\.level) == [.info, .notice])
        #expect(recorder.lines.first?.metadata == ["batch.count": "3"])
        let text = recorder.meter.exposition()
        #expect(text.contains("furrow_ledger_events_total 3\n"))
        #expect(text.contains("furrow_ledger_append_seconds_bucket{le=\"0.25\"} 1\n"))
        #expect(text.contains("furrow_ledger_append_seconds_bucket{le=\"0.1\"} 0\n"))
    }

    @Test func `a recorder stores lines beyond the rate limit, up to its own limit`() {
        let recorder = Recorder()
        for _ in 0..<(TelemetryLimits.recordedMax + 10) { recorder.logger.debug("again") }
        #expect(recorder.lines.count == TelemetryLimits.recordedMax)
    }
}
