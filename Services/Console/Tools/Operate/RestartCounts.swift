import Vocabulary

/// How often each service began again within the last hour.
///
/// A service that fails again and again works for a while after each start, so no single look finds it.
struct RestartCounts {
    /// Restarts within an hour that an operator should know of. A new version is one restart.
    static let most = 3
    static let windowMicroseconds: Int64 = 3_600_000_000

    /// When the present process of each service began, by its own clock.
    private var starts: [String: Instant] = [:]
    /// When each restart was noticed, in microseconds of a clock that is never set.
    private var restarts: [String: [Int64]] = [:]

    /// Notes when the process of a service began. The first one that is noted is no restart.
    mutating func note(_ origin: String, started: Instant, at now: Int64) {
        if let before = starts.updateValue(started, forKey: origin), before != started {
            restarts[origin, default: []].append(now)
        }
    }

    /// Returns the services that began again too often.
    mutating func findings(at now: Int64, _ wording: Wording) -> [Finding] {
        restarts = restarts.mapValues { $0.filter { now - $0 < Self.windowMicroseconds } }
        return restarts.filter { $0.value.count >= Self.most }.sorted { $0.key < $1.key }.map { origin, times in
            Finding(
                "restarts", .act, "\(origin) began again \(times.count) times within an hour.", of: origin,
                do: "See why it ends: \(wording.call("logs"))")
        }
    }
}
