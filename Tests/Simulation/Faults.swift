/// What can go wrong in a world.
enum Fault: String, CaseIterable {
    /// A process dies at a named point of its round.
    case crash
    /// The disk refuses to sync once; the process ends.
    case syncFailure
    /// Two machines do not reach each other for a while.
    case partition
    /// A process stands still for a while, as when the machine swaps.
    case pause
    /// Somebody sets a machine's clock.
    case clockJump
    /// A clock is an hour to fifty years ahead for some seconds or minutes, perhaps when its machine starts.
    case clockAhead
    /// Of everything that is sent, much is lost, doubled and late.
    case badNetwork
    /// One byte of an event changes on its way, and whoever sends it does not know.
    case damage
    /// A process dies, and its journal is taken from a backup made just then: it goes on in a new epoch.
    case restore
}

/// Where in its round a process can die.
enum Failpoint: String, CaseIterable {
    /// Everything is decided and staged, nothing is on the disk.
    case beforeCommit
    /// On the disk, and nobody was told.
    case afterCommit
    /// Some of the answers are out.
    case amidAnswers
    /// Everybody was told; the views are not flushed.
    case afterRound
}

/// What happened in a world, counted, so that a simulation in which nothing happens is noticed.
struct Tally {
    var counts: [String: Int] = [:]

    subscript(name: String) -> Int { counts[name] ?? 0 }

    mutating func add(_ name: String, _ count: Int = 1) { counts[name, default: 0] += count }

    mutating func add(_ other: Tally) {
        for (name, count) in other.counts { counts[name, default: 0] += count }
    }
}
