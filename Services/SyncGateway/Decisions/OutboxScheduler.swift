/// Schedules the delivery of outbox messages: which are in flight, and when failed ones are retried.
struct OutboxScheduler {
    private var tries: [String: (count: Int, due: UInt64)] = [:]
    /// The recipients of the messages in flight. Each recipient has its own limit.
    private var flying: [String: OutboxRow.Recipient] = [:]
    /// The key of the last message scanned; nil if the next scan begins at the first.
    var seen: String?

    /// Returns the messages that may be sent now and marks them as in flight.
    mutating func take(_ rows: [OutboxRow], at tick: UInt64) -> [OutboxRow] {
        rows.filter { row in
            guard flying[row.key] == nil, (tries[row.key]?.due ?? 0) <= tick,
                flying.values.count(where: { $0 == row.to }) < GatewayLimits.flyingMessages
            else { return false }
            flying[row.key] = row.to
            return true
        }
    }

    /// Records a failed delivery and schedules a retry with exponential backoff. Returns false if the message has used
    /// up its retries.
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
