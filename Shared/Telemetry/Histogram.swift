internal import Synchronization

/// A histogram of durations or other values in buckets. ``Meter`` creates and exposes it.
public final class Histogram: Sendable {
    struct Observed {
        /// The number of values in each bucket, from the bound before it up to its own.
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

    /// Adds a value, from any thread. NaN is ignored.
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
