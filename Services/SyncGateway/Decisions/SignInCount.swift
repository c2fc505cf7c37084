import Events
import Vocabulary

/// Counts sign-ins and refusals by account until the minute is over, so that an attacker cannot fill the journal.
struct SignInCount {
    private var counts: [PersonID?: (done: Int, refused: Int)] = [:]

    mutating func add(_ person: PersonID?, isDone: Bool) {
        // Beyond the bound, further accounts are counted together.
        let isKnown = counts[person] != nil || counts.count < GatewayLimits.accountsCounted
        let key = isKnown ? person : nil
        counts[key, default: (0, 0)].done += isDone ? 1 : 0
        counts[key, default: (0, 0)].refused += isDone ? 0 : 1
    }

    /// What was counted since the last call, in order of the persons.
    mutating func take() -> [SignInsCounted] {
        defer { counts = [:] }
        return counts.sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }.map { person, count in
            SignInsCounted(person: person, done: count.done, refused: count.refused)
        }
    }

    /// An erased person's tries are counted as those of nobody.
    mutating func forget(_ person: PersonID) {
        guard let count = counts.removeValue(forKey: person) else { return }
        counts[nil, default: (0, 0)].done += count.done
        counts[nil, default: (0, 0)].refused += count.refused
    }
}
