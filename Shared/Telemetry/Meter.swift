internal import Synchronization

/// Stores the metrics of a process and exposes them to Prometheus (text exposition format 0.0.4).
///
/// Names are `furrow_<service>_<noun>_<unit>`; counters end in `_total`. Labels have few values. A metric beyond
/// ``TelemetryLimits``, or a name used for two kinds, is rejected and counted in `furrow_meter_refused_total`.
///
/// ```
/// let meter = Meter()
/// meter.count("furrow_pages_refused_total", labels: ["feed": "hub"])
/// ```
public final class Meter: Sendable {
    /// Upper bounds of buckets for durations in seconds.
    public static let seconds: [Double] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    private enum Kind: String { case counter, gauge, histogram }

    private struct Series {
        var value = 0.0
        var histogram: Histogram?
    }

    private struct Metric {
        let kind: Kind
        /// The upper bounds of a histogram's buckets; empty for other kinds.
        let bounds: [Double]
        var series: [String: Series] = [:]
    }

    private static let refused = "furrow_meter_refused_total"
    private let state = Mutex([refused: Metric(kind: .counter, bounds: [], series: ["": Series()])])

    /// Creates a meter without metrics.
    public init() {}

    /// Adds to a counter; a negative amount is rejected.
    public func count(_ name: String, labels: [String: String] = [:], _ amount: Int = 1) {
        change(name, .counter, labels, isValid: amount >= 0) { series, _ in series.value += Double(amount) }
    }

    /// Sets a gauge.
    public func gauge(_ name: String, labels: [String: String] = [:], _ value: Double) {
        change(name, .gauge, labels) { series, _ in series.value = value }
    }

    /// Returns a histogram to observe values with. It is exposed at once, with zeros, so that it is never absent.
    ///
    /// The first call for a name sets its bounds, which must increase. A rejected histogram can be used but is not
    /// exposed.
    public func histogram(
        _ name: String, labels: [String: String] = [:], bounds: [Double] = Meter.seconds
    ) -> Histogram {
        var histogram = Histogram(bounds)
        let rises = zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
        change(name, .histogram, labels, bounds, isValid: rises) { series, bounds in
            histogram = series.histogram ?? Histogram(bounds)
            series.histogram = histogram
        }
        return histogram
    }

    private func change(
        _ name: String, _ kind: Kind, _ labels: [String: String], _ bounds: [Double] = [], isValid: Bool = true,
        _ body: (inout Series, [Double]) -> Void
    ) {
        let key = Self.text(of: labels)
        state.withLock { metrics in
            // Each property is looked up separately, because a copy of a metric would force a copy of all its series at
            // the change.
            let isKnown = metrics[name]?.series[key] != nil
            let hasRoom = metrics[name].map { $0.series.count < TelemetryLimits.seriesMax }
            guard isValid, metrics[name]?.kind ?? kind == kind,
                isKnown || hasRoom ?? (metrics.count < TelemetryLimits.metricsMax),
                isKnown || Self.isLegal(name, labels)
            else {
                metrics[Self.refused]?.series[""]?.value += 1
                return
            }
            let kept = metrics[name]?.bounds ?? bounds
            body(&metrics[name, default: Metric(kind: kind, bounds: kept)].series[key, default: Series()], kept)
        }
    }

    /// Returns all metrics at this moment, sorted by name and labels, as `text/plain; version=0.0.4`.
    public func exposition() -> String {
        let metrics = state.withLock { $0 }
        var text = ""
        for (name, metric) in metrics.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(metric.kind.rawValue)\n"
            for (labels, series) in metric.series.sorted(by: { $0.key < $1.key }) {
                text += Self.lines(name, metric, labels, series)
            }
        }
        return text
    }

    private static func lines(_ name: String, _ metric: Metric, _ labels: String, _ series: Series) -> String {
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        guard let observed = series.histogram?.observed else { return "\(name)\(braces) \(number(series.value))\n" }
        var (text, below) = ("", 0)
        let comma = labels.isEmpty ? "" : ","
        for (bound, count) in zip(metric.bounds, observed.buckets) {
            below += count
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(number(bound))\"} \(below)\n"
        }
        text += "\(name)_bucket{\(labels)\(comma)le=\"+Inf\"} \(observed.count)\n"
        return text + "\(name)_sum\(braces) \(number(observed.sum))\n\(name)_count\(braces) \(observed.count)\n"
    }
}

// The spelling of the exposition format.
extension Meter {
    private static func isLegal(_ name: String, _ labels: [String: String]) -> Bool {
        labels.count <= TelemetryLimits.labelsMax
            && ([name] + labels.keys).allSatisfy { text in
                let letters = text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_") }
                let digits = text.unicodeScalars.filter { ("0"..."9").contains($0) }
                return letters.first != nil && letters.first == text.unicodeScalars.first
                    && letters.count + digits.count == text.unicodeScalars.count
            }
    }

    private static func text(of labels: [String: String]) -> String {
        labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars.prefix(TelemetryLimits.valueBytesMax / 4) {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"": escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { String($0) } ?? "\(value)"
    }
}
