import JSON

/// What a measurement gave; the members are those of the operator's contract.
struct BenchResult {
    let bench: String
    let events: Int
    let seconds: Double
    /// Microseconds, in the order they were measured; empty where single answers make no sense.
    var latencies: [Int64] = []
    var peakRSSBytes = 0
    var bytesPerEvent: Double?
    var fsyncs: Int?

    var json: [UInt8] {
        var json = JSONWriter()
        let sorted = latencies.sorted()
        func percentile(_ share: Double) -> Int64? {
            sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        }
        json.object { json in
            json.field("bench", bench)
            json.field("events", events)
            json.field("seconds", seconds)
            json.field("perSecond", seconds > 0 ? (Double(events) / seconds).rounded() : 0)
            json.field("p50us", ifPresent: percentile(0.5))
            json.field("p95us", ifPresent: percentile(0.95))
            json.field("p99us", ifPresent: percentile(0.99))
            json.field("peakRSSBytes", peakRSSBytes)
            json.field("bytesPerEvent", ifPresent: bytesPerEvent)
            json.field("fsyncs", ifPresent: fsyncs)
        }
        return json.bytes
    }
}
