import Glibc
import Synchronization
import System

// simulation [--seeds N] [--from S] [--mutant NAME|all] [--threads T]: lives through N days, one a seed, and says what
// broke. A seed that fails gives the same day again: simulation --from SEED --seeds 1.

struct Options {
    var seeds = 1000
    var from: UInt64 = 1
    var mutants: [Mutant] = []
    var threads = 2
}

func read(_ words: [String]) -> Options? {
    var wish = Options()
    var words = words[...]
    while let word = words.popFirst() {
        guard let value = words.popFirst() else { return nil }
        switch word {
        case "--seeds": wish.seeds = Int(value) ?? 0
        case "--from": wish.from = UInt64(value) ?? 1
        case "--threads": wish.threads = Int(value) ?? 1
        case "--mutant": wish.mutants = value == "all" ? Mutant.allCases : Mutant(rawValue: value).map { [$0] } ?? []
        default: return nil
        }
    }
    return wish.seeds > 0 && wish.threads > 0 ? wish : nil
}

guard let wish = read(Array(CommandLine.arguments.dropFirst())) else {
    let mutants = Mutant.allCases.map(\.rawValue).joined(separator: "|")
    print("simulation [--seeds N] [--from SEED] [--mutant \(mutants)|all] [--threads T]")
    exit(2)
}
exit(try Days(wish).run())
