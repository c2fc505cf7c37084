import System

/// The progress of a long task, with the time left, on standard error. Nothing is printed in the first seconds.
struct Progress {
    private let what: String
    private let total: Int
    private let first: Int
    private let began = Clock.monotonicMicroseconds()
    private var tellsNext: Int64

    private static let patience: Int64 = 2_000_000

    /// - Parameter first: the count that was done before the start.
    init(_ what: String, of total: Int, from first: Int = 0) {
        self.what = what
        self.total = total
        self.first = first
        tellsNext = began + Self.patience
    }

    mutating func reached(_ count: Int) {
        let now = Clock.monotonicMicroseconds()
        guard now >= tellsNext else { return }
        tellsNext = now + Self.patience
        let perSecond = max(1, Double(count - first) * 1_000_000 / Double(now - began))
        let left = Amount.time(seconds: Double(max(0, total - count)) / perSecond)
        Terminal.complain("\(what): \(count) of \(total), \(Int(perSecond))/s, \(left) left")
    }
}
