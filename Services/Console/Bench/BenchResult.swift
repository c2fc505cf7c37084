import JSON

/// What a measurement gave; the members are those of the operator's contract.
struct BenchResult {
    let bench: BenchOptions.Name
    let events: Int
    let seconds: Double
    /// Microseconds, in the order they were measured; empty where single answers make no sense.
    var latencies: [Int64] = []
    var peakRSSBytes = 0
    /// Of the journal on the disk.
    var bytesPerEvent: Double?
    /// Disk syncs that were asked for, each counted.
    var fsyncs: Int?
    /// Events that readers read meanwhile.
    var eventsRead: Int?
    /// Bytes that a service had read from files when it answered.
    var bytesRead: Int?
    /// Until a service answered that was killed before, and until one had ended that was told to.
    var secondsAfterKill: Double?
    var secondsToStop: Double?
    /// What each part of an event's way took, all events together.
    var secondsOfParts: [(part: PartsBench.Part, seconds: Double)] = []

    private var perSecond: Double { pace(seconds) }

    private func pace(_ seconds: Double) -> Double { seconds > 0 ? (Double(events) / seconds).rounded() : 0 }

    private func percentile(_ share: Double, of sorted: [Int64]) -> Int64? {
        sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var json: [UInt8] {
        var json = JSONWriter()
        let sorted = latencies.sorted()
        json.object { json in
            json.field("bench", bench)
            json.field("events", events)
            json.field("seconds", seconds)
            json.field("perSecond", perSecond)
            json.field("p50us", ifPresent: percentile(0.5, of: sorted))
            json.field("p95us", ifPresent: percentile(0.95, of: sorted))
            json.field("p99us", ifPresent: percentile(0.99, of: sorted))
            json.field("peakRSSBytes", peakRSSBytes)
            json.field("bytesPerEvent", ifPresent: bytesPerEvent)
            json.field("fsyncs", ifPresent: fsyncs)
            json.field("eventsRead", ifPresent: eventsRead)
            json.field("bytesRead", ifPresent: bytesRead)
            json.field("secondsAfterKill", ifPresent: secondsAfterKill)
            json.field("secondsToStop", ifPresent: secondsToStop)
            if !secondsOfParts.isEmpty {
                json.field(
                    "secondsOfParts",
                    object: { json in
                        for (part, seconds) in secondsOfParts { json.field("\(part)", seconds) }
                    })
            }
        }
        return json.bytes
    }

    /// The same for people.
    var text: String {
        let sorted = latencies.sorted()
        let speed = bench == .start ? "" : ", \(Int(perSecond)) a second"
        var lines = ["\(bench.rawValue): \(events) events in \(rounded(seconds)) s\(speed)"]
        if let half = percentile(0.5, of: sorted), let most = percentile(0.95, of: sorted),
            let nearlyAll = percentile(0.99, of: sorted)
        {
            lines.append("answered within \(half) µs (half), \(most) µs (95 %), \(nearlyAll) µs (99 %)")
        }
        if let fsyncs { lines.append("\(fsyncs) disk syncs") }
        if let secondsAfterKill, let secondsToStop, let bytesRead {
            lines.append("\(bytesRead >> 10) KiB read for it")
            lines.append("\(rounded(secondsAfterKill)) s after a kill; \(rounded(secondsToStop)) s to stop")
        }
        for (part, seconds) in secondsOfParts {
            let each = rounded(seconds / Double(events) * 1_000_000)
            lines.append("\(part): \(each) µs an event, \(Int(pace(seconds))) a second by itself")
        }
        if let eventsRead { lines.append("\(eventsRead) events read meanwhile") }
        if let bytesPerEvent { lines.append("\(rounded(bytesPerEvent)) bytes an event in the journal") }
        lines.append("\(peakRSSBytes >> 20) MiB of memory at most")
        return lines.joined(separator: "\n")
    }

    private func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}

extension BenchOptions.Name: JSONWritable {}
