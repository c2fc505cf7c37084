import Events
import Vocabulary

/// Counts successful and refused sign-ins by account for a minute, so that an attacker cannot fill the journal.
struct SignInCount {
    private var counts: [PersonID?: (done: Int, refused: Int)] = [:]

    mutating func add(_ person: PersonID?, isDone: Bool) {
        // Beyond the limit, further accounts are counted together.
        let isKnown = counts[person] != nil || counts.count < GatewayLimits.accountsCounted
        let key = isKnown ? person : nil
        counts[key, default: (0, 0)].done += isDone ? 1 : 0
        counts[key, default: (0, 0)].refused += isDone ? 0 : 1
    }

    /// Returns the counts since the last call, ordered by person, and resets them.
    mutating func take() -> [SignInsCounted] {
        defer { counts = [:] }
        return counts.sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }.map { person, count in
            SignInsCounted(person: person, done: count.done, refused: count.refused)
        }
    }

    /// Moves an erased person's counts to those without a person.
    mutating func forget(_ person: PersonID) {
        guard let count = counts.removeValue(forKey: person) else { return }
        counts[nil, default: (0, 0)].done += count.done
        counts[nil, default: (0, 0)].refused += count.refused
    }
}
