/// Which messages are on their way, and when those that were not taken are tried again.
struct OutboxScheduler {
    private var tries: [String: (count: Int, due: UInt64)] = [:]
    /// To whom those on their way go: each recipient has places of its own.
    private var flying: [String: OutboxRow.Recipient] = [:]
    /// The last message that was looked at; nil when the next look begins at the first.
    var seen: String?

    /// Those that may leave now; they count as on their way.
    mutating func take(_ rows: [OutboxRow], at tick: UInt64) -> [OutboxRow] {
        rows.filter { row in
            guard flying[row.key] == nil, (tries[row.key]?.due ?? 0) <= tick,
                flying.values.count(where: { $0 == row.to }) < GatewayLimits.flyingMessages
            else { return false }
            flying[row.key] = row.to
            return true
        }
    }

    /// It was not taken: later again, each time later. False when it is time to give up.
    mutating func fail(_ message: String, at tick: UInt64) -> Bool {
        flying[message] = nil
        let count = (tries[message]?.count ?? 0) + 1
        guard count < GatewayLimits.messageTries else {
            tries[message] = nil
            return false
        }
        let wait = min(GatewayLimits.messageTicks << UInt64(min(count, 16)), GatewayLimits.messageTicksAtMost)
        tries[message] = (count, tick + wait)
        return true
    }

    mutating func finish(_ message: String) {
        flying[message] = nil
        tries[message] = nil
    }
}
