import Events
import Vocabulary

/// The values of a measuring point within the last minutes, from which the change of the newest one is known.
///
/// The window consists of 30 spans with the lowest and highest value of each, so its size does not depend on how often
/// a sensor reports. Its length is exact to one span.
struct ChangeWindow {
    private struct Span {
        let start: Instant
        var last: Instant
        var low: Double
        var high: Double
    }

    private static let spans = 30.0

    private let seconds: Double
    private var spans: [Span] = []
    /// When the first value was added.
    private var began: Instant?

    init(minutes: Int) {
        seconds = Double(minutes) * 60
    }

    /// Whether values were added during the whole length of the window. Until then a change may be larger than it
    /// looks.
    func isComplete(at time: Instant) -> Bool {
        began.map { time.seconds(since: $0) >= seconds } ?? false
    }

    /// Adds a value. Times must not decrease.
    mutating func add(_ value: Double, at time: Instant) {
        began = min(began ?? time, time)
        spans.removeAll { time.seconds(since: $0.last) > seconds }
        guard var span = spans.last, time.seconds(since: span.start) < seconds / Self.spans else {
            spans.append(Span(start: time, last: time, low: value, high: value))
            return
        }
        span.last = time
        span.low = min(span.low, value)
        span.high = max(span.high, value)
        spans[spans.count - 1] = span
    }

    /// Returns how much a value, the newest one, is above the lowest of the window, and below the highest as a negative
    /// number.
    func changes(to value: Double) -> (rise: Double, fall: Double) {
        let low = spans.map(\.low).min() ?? value
        let high = spans.map(\.high).max() ?? value
        return (max(0, value - low), min(0, value - high))
    }
}

extension RuleSet {
    /// Returns the change that is nearest to the limits of a rule of change, or the furthest beyond them.
    func decisiveChange(_ changes: (rise: Double, fall: Double)) -> Double {
        let rise = above.map { changes.rise / $0 } ?? -1
        let fall = below.map { changes.fall / $0 } ?? -1
        return rise >= fall ? changes.rise : changes.fall
    }
}
