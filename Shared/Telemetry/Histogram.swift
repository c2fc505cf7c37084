internal import Synchronization

/// How often something took how long, in buckets. ``Meter`` makes it, and shows it.
public final class Histogram: Sendable {
    struct Observed {
        /// How many lie at or below each bound, beyond the one before.
        var buckets: [Int]
        var count = 0
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<Observed>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(Observed(buckets: [Int](repeating: 0, count: bounds.count)))
    }

    /// Adds one; from any thread. What is no number is left out.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        let bucket = bounds.firstIndex { value <= $0 }
        state.withLock { state in
            if let bucket { state.buckets[bucket] += 1 }
            state.count += 1
            state.sum += value
        }
    }

    var observed: Observed { state.withLock { $0 } }
}
