/// Which messages are on their way, and when those that were not taken are tried again.
struct Sending {
    private var tries: [String: (count: Int, due: UInt64)] = [:]
    private(set) var flying: Set<String> = []

    /// Those that may leave now; they count as on their way.
    mutating func take(_ messages: [String], at tick: UInt64) -> [String] {
        var taken: [String] = []
        for message in messages where flying.count < Bounds.flyingMessages {
            guard !flying.contains(message), (tries[message]?.due ?? 0) <= tick else { continue }
            flying.insert(message)
            taken.append(message)
        }
        return taken
    }

    /// It was not taken: later again, each time later. False when it is time to give up.
    mutating func fail(_ message: String, at tick: UInt64) -> Bool {
        flying.remove(message)
        let count = (tries[message]?.count ?? 0) + 1
        guard count < Bounds.messageTries else {
            tries[message] = nil
            return false
        }
        let wait = min(Bounds.messageTicks << UInt64(min(count, 16)), Bounds.messageTicksAtMost)
        tries[message] = (count, tick + wait)
        return true
    }

    mutating func finish(_ message: String) {
        flying.remove(message)
        tries[message] = nil
    }
}
