/// The faults that a simulation injects.
enum Fault: String, CaseIterable {
    /// A process is killed at a failpoint of its round.
    case crash
    /// One sync of the disk fails, which ends the process.
    case syncFailure
    /// Two machines cannot reach each other for a while.
    case partition
    /// A process is paused for a while, as when its machine swaps.
    case pause
    /// A machine's wall clock is set to another time.
    case clockJump
    /// A clock is an hour to fifty years ahead for some seconds or minutes, possibly while its machine starts.
    case clockAhead
    /// Many messages are lost, duplicated and delayed.
    case badNetwork
    /// One byte of an event changes on its way, unnoticed by the sender.
    case damage
    /// A process is killed and its journal is restored from a backup made at that moment, so it begins a new epoch.
    case restore
}

/// The points of a round at which a process can be killed.
enum Failpoint: String, CaseIterable {
    /// All commands are decided and staged, and nothing is on the disk.
    case beforeCommit
    /// The commit is on the disk, and no response was sent.
    case afterCommit
    /// Some of the responses were sent.
    case amidAnswers
    /// All responses were sent, and the view tables are not flushed.
    case afterRound
}

/// Counts of what happened in a simulation. They show whether enough faults were injected.
struct Tally {
    var counts: [String: Int] = [:]

    subscript(name: String) -> Int { counts[name] ?? 0 }

    mutating func add(_ name: String, _ count: Int = 1) { counts[name, default: 0] += count }

    mutating func add(_ other: Tally) {
        for (name, count) in other.counts { counts[name, default: 0] += count }
    }
}
