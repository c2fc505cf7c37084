import Synchronization
import System

/// Many days, on a few threads: those of the honest house must all be good, those of each flawed twin must not.
struct Days {
    private let wish: Options
    /// Days in which a flaw has to show.
    private static let patience = 200

    init(_ wish: Options) {
        self.wish = wish
    }

    /// 0 if the honest house kept every promise and each flawed one was found out.
    func run() throws -> Int32 {
        guard wish.mutants.isEmpty else {
            let missed = try wish.mutants.filter { try !isFound($0) }
            return missed.isEmpty ? 0 : 1
        }
        let began = Clock.monotonicMicroseconds()
        let (tally, broken) = try live(wish.seeds, nil, stopAtFirst: false)
        for (seed, words) in broken.prefix(5) {
            print("BROKEN: seed \(seed)")
            for line in words { print("  \(line)") }
        }
        for (name, count) in tally.counts.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
        // Of what cannot happen by itself, enough has to have happened.
        let seconds = Double(Clock.monotonicMicroseconds() - began) / 1_000_000
        print("\(wish.seeds) days in \(seconds) s, \(broken.count) broken")
        let quiet =
            Fault.allCases.map { "fault \($0)" }.filter { tally[$0] < wish.seeds }
            + Failpoint.allCases.map { "failpoint \($0)" }.filter { tally[$0] < max(1, wish.seeds / 100) }
        if !quiet.isEmpty { print("TOO SELDOM: \(quiet)") }
        return broken.isEmpty && quiet.isEmpty ? 0 : 1
    }

    private func isFound(_ mutant: Mutant) throws -> Bool {
        let (tally, broken) = try live(Self.patience, mutant, stopAtFirst: true)
        if let (seed, words) = broken.first {
            print("\(mutant): found with seed \(seed), after \(tally["days"]) days: \(words.first ?? "")")
        } else {
            print("\(mutant): NOT FOUND in \(Self.patience) days")
        }
        return !broken.isEmpty
    }

    /// What the threads have found so far, and which day is next.
    private final class Book: Sendable {
        struct Page {
            var tally = Tally()
            var broken: [(UInt64, [String])] = []
            var next: UInt64
        }

        let page: Mutex<Page>

        init(from seed: UInt64) { page = Mutex(Page(next: seed)) }
    }

    private func live(_ days: Int, _ mutant: Mutant?, stopAtFirst: Bool) throws -> (Tally, [(UInt64, [String])]) {
        let book = Book(from: wish.from)
        let end = wish.from + UInt64(days)
        let threads = try (0..<wish.threads).map { number in
            try Worker(name: "world \(number)") {
                while let seed = book.page.withLock({ page -> UInt64? in
                    guard page.next < end, !stopAtFirst || page.broken.isEmpty else { return nil }
                    defer { page.next += 1 }
                    return page.next
                }) {
                    let (tally, words) = Self.day(seed, mutant)
                    book.page.withLock { page in
                        page.tally.add(tally)
                        page.tally.add("days")
                        if !words.isEmpty { page.broken.append((seed, words)) }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        return book.page.withLock { ($0.tally, $0.broken.sorted { $0.0 < $1.0 }) }
    }

    private static func day(_ seed: UInt64, _ mutant: Mutant?) -> (Tally, [String]) {
        do {
            let world = try SimulationRun(seed: seed, mutant: mutant)
            let words = try world.live()
            return (world.tally, words)
        } catch {
            return (Tally(), ["\(error)"])
        }
    }
}
