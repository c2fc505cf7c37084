import JSON

/// The result of a measurement; the JSON members are those of the operator's contract.
struct BenchResult {
    let bench: BenchOptions.Name
    let events: Int
    let seconds: Double
    /// The latencies in microseconds, in order of measurement; empty for benchmarks without single requests.
    var latencies: [Int64] = []
    var peakRSSBytes = 0
    /// The journal's size on disk per event.
    var bytesPerEvent: Double?
    /// The number of disk syncs.
    var fsyncs: Int?
    /// The number of events that readers read during the measurement.
    var eventsRead: Int?
    /// The number of bytes that a service had read from files when it responded.
    var bytesRead: Int?
    /// The seconds until a killed service responded again, and those that an orderly stop took.
    var secondsAfterKill: Double?
    var secondsToStop: Double?
    /// The seconds of each step of an event's processing, for all events together.
    var secondsOfParts: [(part: PartsBench.Part, seconds: Double)] = []
    /// The processor time of the measuring thread.
    var processorSeconds: Double?
    /// The number of reports in the decoded packets.
    var reports: Int?

    /// The latencies in microseconds of alarms, by channel.
    var channels: [(channel: AlarmSinks.Channel, latencies: [Int64])] = []
    /// The number of measuring points of `alarm`.
    var points: Int?

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
            json.field("points", ifPresent: points)
            json.field("processorSeconds", ifPresent: processorSeconds)
            json.field("reports", ifPresent: reports)
            if !channels.isEmpty {
                json.field(
                    "channels",
                    object: { json in
                        for (channel, latencies) in channels { percentiles(channel, latencies.sorted(), &json) }
                    })
            }
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

    private func percentiles(_ channel: AlarmSinks.Channel, _ sorted: [Int64], _ json: inout JSONWriter) {
        json.field(
            channel.rawValue,
            object: { json in
                json.field("alarms", sorted.count)
                json.field("p50us", ifPresent: percentile(0.5, of: sorted))
                json.field("p95us", ifPresent: percentile(0.95, of: sorted))
                json.field("maxus", ifPresent: sorted.last)
            })
    }

    /// The result as text for an operator.
    var text: String {
        let sorted = latencies.sorted()
        let speed = [.start, .alarm].contains(bench) ? "" : ", \(Int(perSecond)) a second"
        var lines = ["\(bench.rawValue): \(events) events in \(rounded(seconds)) s\(speed)"]
        if let half = percentile(0.5, of: sorted), let most = percentile(0.95, of: sorted),
            let nearlyAll = percentile(0.99, of: sorted)
        {
            lines.append("response within \(half) µs (half), \(most) µs (95 %), \(nearlyAll) µs (99 %)")
        }
        if let fsyncs { lines.append("\(fsyncs) disk syncs") }
        if let secondsAfterKill, let secondsToStop, let bytesRead {
            lines.append("\(bytesRead >> 10) KiB read for it")
            lines.append("\(rounded(secondsAfterKill)) s after a kill; \(rounded(secondsToStop)) s to stop")
        }
        for (channel, latencies) in channels {
            let sorted = latencies.sorted()
            guard let half = percentile(0.5, of: sorted), let most = percentile(0.95, of: sorted) else { continue }
            lines.append(
                "\(channel.rawValue): \(sorted.count) alarms within \(half / 1000) ms (half), \(most / 1000) ms (95 %)")
        }
        if let points { lines.append("\(points) measuring points besides, with 3 limits each") }
        if let processorSeconds, let reports {
            let each = rounded(processorSeconds / Double(events) * 1_000_000)
            lines.append(
                "\(each) µs of processor time each, \(Int(pace(processorSeconds))) a second; \(reports) reports")
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
