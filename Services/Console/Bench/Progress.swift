import System

/// Tells whoever waits for a long measurement how far it is: nothing in the first seconds, never on standard output.
struct Progress {
    private let what: String
    private let total: Int
    private let began = Clock.monotonicMicroseconds()
    private var tellsNext: Int64

    private static let patience: Int64 = 2_000_000

    init(_ what: String, of total: Int) {
        self.what = what
        self.total = total
        tellsNext = began + Self.patience
    }

    mutating func reached(_ count: Int) {
        let now = Clock.monotonicMicroseconds()
        guard now >= tellsNext else { return }
        tellsNext = now + Self.patience
        let perSecond = Int(Double(count) * 1_000_000 / Double(now - began))
        Terminal.complain("\(what): \(count) of \(total), \(perSecond)/s")
    }
}
