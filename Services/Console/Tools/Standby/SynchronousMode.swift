import Postgres
import System

/// Lets commits wait for the standby while one is connected, and not while none is: the farm goes on without it.
struct SynchronousMode {
    /// Seconds without a standby after which commits do not wait for it any more.
    static let patienceMicroseconds: Int64 = 10_000_000

    private(set) var isOn: Bool?
    private var connectedAt: Int64?

    /// Decides by whether a standby is connected. Returns what has changed; nil if nothing has.
    mutating func decide(isConnected: Bool, at now: Int64) -> Bool? {
        if isConnected { connectedAt = now }
        let isRecent = connectedAt.map { now - $0 < Self.patienceMicroseconds } ?? false
        let next = isConnected || (isOn == true && isRecent)
        guard next != isOn else { return nil }
        isOn = next
        return next
    }
}
