import Synchronization
import System

/// Many simulation runs on a few threads. All runs of the unchanged system must pass; each mutant must fail in one.
struct Days {
    private let options: Options
    /// The number of runs in which a mutant must be detected.
    private static let patience = 200

    init(_ options: Options) {
        self.options = options
    }

    /// Returns 0 if no run of the system failed, or if every requested mutant was detected.
    func run() throws -> Int32 {
        guard options.mutants.isEmpty else {
            let missed = try options.mutants.filter { try !isFound($0) }
            return missed.isEmpty ? 0 : 1
        }
        let began = Clock.monotonicMicroseconds()
        let (tally, broken) = try simulate(options.seeds, nil, stopAtFirst: false)
        for (seed, words) in broken.prefix(5) {
            print("BROKEN: seed \(seed)")
            for line in words { print("  \(line)") }
        }
        for (name, count) in tally.counts.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
        // Each injected fault must have happened often enough for the result to mean something.
        let seconds = Double(Clock.monotonicMicroseconds() - began) / 1_000_000
        print("\(options.seeds) days in \(seconds) s, \(broken.count) broken")
        let quiet =
            Fault.allCases.map { "fault \($0)" }.filter { tally[$0] < options.seeds }
            + Failpoint.allCases.map { "failpoint \($0)" }.filter { tally[$0] < max(1, options.seeds / 100) }
        if !quiet.isEmpty { print("TOO SELDOM: \(quiet)") }
        return broken.isEmpty && quiet.isEmpty ? 0 : 1
    }

    private func isFound(_ mutant: Mutant) throws -> Bool {
        let (tally, broken) = try simulate(Self.patience, mutant, stopAtFirst: true)
        if let (seed, words) = broken.first {
            print("\(mutant): found with seed \(seed), after \(tally["days"]) days: \(words.first ?? "")")
        } else {
            print("\(mutant): NOT FOUND in \(Self.patience) days")
        }
        return !broken.isEmpty
    }

    /// The results of the threads so far, and the next seed.
    private final class Progress: Sendable {
        struct State {
            var tally = Tally()
            var broken: [(UInt64, [String])] = []
            var next: UInt64
        }

        let state: Mutex<State>

        init(from seed: UInt64) { state = Mutex(State(next: seed)) }
    }

    private func simulate(_ days: Int, _ mutant: Mutant?, stopAtFirst: Bool) throws -> (Tally, [(UInt64, [String])]) {
        let progress = Progress(from: options.from)
        let end = options.from + UInt64(days)
        let threads = try (0..<options.threads).map { number in
            try Worker(name: "simulation \(number)") {
                while let seed = progress.state.withLock({ state -> UInt64? in
                    guard state.next < end, !stopAtFirst || state.broken.isEmpty else { return nil }
                    defer { state.next += 1 }
                    return state.next
                }) {
                    let (tally, words) = Self.day(seed, mutant)
                    progress.state.withLock { state in
                        state.tally.add(tally)
                        state.tally.add("days")
                        if !words.isEmpty { state.broken.append((seed, words)) }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        return progress.state.withLock { ($0.tally, $0.broken.sorted { $0.0 < $1.0 }) }
    }

    private static func day(_ seed: UInt64, _ mutant: Mutant?) -> (Tally, [String]) {
        do {
            let simulation = try SimulationRun(seed: seed, mutant: mutant)
            let words = try simulation.execute()
            return (simulation.tally, words)
        } catch {
            return (Tally(), ["\(error)"])
        }
    }
}
