import Glibc
import Synchronization
import System

// simulation [--seeds N] [--from S] [--mutant NAME|all] [--threads T]: runs N simulated days, one for each seed, and
// prints what broke. A seed always gives the same day; to repeat one: simulation --from SEED --seeds 1.

struct Options {
    var seeds = 1000
    var from: UInt64 = 1
    var mutants: [Mutant] = []
    var threads = 2
}

func read(_ words: [String]) -> Options? {
    var options = Options()
    var words = words[...]
    while let word = words.popFirst() {
        guard let value = words.popFirst() else { return nil }
        switch word {
        case "--seeds": options.seeds = Int(value) ?? 0
        case "--from": options.from = UInt64(value) ?? 1
        case "--threads": options.threads = Int(value) ?? 1
        case "--mutant": options.mutants = value == "all" ? Mutant.allCases : Mutant(rawValue: value).map { [$0] } ?? []
        default: return nil
        }
    }
    return options.seeds > 0 && options.threads > 0 ? options : nil
}

guard let options = read(Array(CommandLine.arguments.dropFirst())) else {
    let mutants = Mutant.allCases.map(\.rawValue).joined(separator: "|")
    print("simulation [--seeds N] [--from SEED] [--mutant \(mutants)|all] [--threads T]")
    exit(2)
}
exit(try Days(options).run())
