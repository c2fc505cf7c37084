import Glibc
import Synchronization
import System

// worlds [--seeds N] [--from S] [--flaw NAME|all] [--threads T]: lives through N days, one a seed, and says what broke.
// A seed that fails gives the same day again: worlds --from SEED --seeds 1.

struct Wish {
    var seeds = 1000
    var from: UInt64 = 1
    var flaws: [Flaw] = []
    var threads = 2
}

func read(_ words: [String]) -> Wish? {
    var wish = Wish()
    var words = words[...]
    while let word = words.popFirst() {
        guard let value = words.popFirst() else { return nil }
        switch word {
        case "--seeds": wish.seeds = Int(value) ?? 0
        case "--from": wish.from = UInt64(value) ?? 1
        case "--threads": wish.threads = Int(value) ?? 1
        case "--flaw": wish.flaws = value == "all" ? Flaw.allCases : Flaw(rawValue: value).map { [$0] } ?? []
        default: return nil
        }
    }
    return wish.seeds > 0 && wish.threads > 0 ? wish : nil
}

guard let wish = read(Array(CommandLine.arguments.dropFirst())) else {
    let flaws = Flaw.allCases.map(\.rawValue).joined(separator: "|")
    print("worlds [--seeds N] [--from SEED] [--flaw \(flaws)|all] [--threads T]")
    exit(2)
}
exit(try Days(wish).run())
