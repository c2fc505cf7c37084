/// Schedules the delivery of outbox messages: which are in flight, and when failed ones are retried.
struct OutboxScheduler {
    /// A message that was not accepted at its last attempt.
    private struct Try {
        let count: Int
        let due: UInt64
        let reason: String
    }

    private var tries: [String: Try] = [:]
    /// The messages in flight. Each recipient has its own limit, and a channel has one message at a time.
    private var flying: [String: OutboxRow] = [:]
    /// The key of the last message scanned; nil if the next scan begins at the first.
    var seen: String?

    /// Returns the messages that may be sent now and marks them as in flight.
    mutating func take(_ rows: [OutboxRow], at tick: UInt64) -> [OutboxRow] {
        rows.filter { row in
            guard flying[row.key] == nil, (tries[row.key]?.due ?? 0) <= tick,
                flying.values.count(where: { $0.to == row.to }) < GatewayLimits.flyingMessages,
                row.channel == nil || !flying.values.contains(where: { $0.channel == row.channel })
            else { return false }
            flying[row.key] = row
            return true
        }
    }

    func isFlying(_ message: String) -> Bool { flying[message] != nil }

    /// Returns the number of failed attempts and the reason of the last one; nil if there was none.
    func failures(of message: String) -> (count: Int, reason: String)? {
        tries[message].map { ($0.count, $0.reason) }
    }

    /// Records a failed delivery and schedules a retry with exponential backoff, at the earliest after `seconds`.
    /// Returns false if the message has used up its retries.
    mutating func fail(_ message: String, at tick: UInt64, _ reason: String, after seconds: Int = 0) -> Bool {
        flying[message] = nil
        let count = (tries[message]?.count ?? 0) + 1
        guard count < GatewayLimits.messageTries else {
            tries[message] = nil
            return false
        }
        let wait = min(GatewayLimits.messageTicks << UInt64(min(count, 16)), GatewayLimits.messageTicksAtMost)
        let least = UInt64(max(seconds, 0)) * GatewayLimits.ticksPerSecond
        tries[message] = Try(count: count, due: tick + max(wait, least), reason: reason)
        return true
    }

    mutating func finish(_ message: String) {
        flying[message] = nil
        tries[message] = nil
    }
}
