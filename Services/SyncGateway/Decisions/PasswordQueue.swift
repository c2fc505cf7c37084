/// Decides which password is checked next. No attempt is rejected because others failed: wrong passwords cost delay,
/// and each network waits for its own attempts only.
///
/// - Two checks run at once; the others wait here.
/// - Networks take turns, and within a network its accounts do. Devices on which the account has signed in before take
///   every second turn, without delay.
/// - An account with five failures in five minutes gets a delay that doubles from 200 ms to 2 s.
/// - A network with twenty failures in five minutes starts at most one check per tick.
struct PasswordQueue {
    /// A password that waits to be checked or hashed.
    struct Try: Equatable {
        let token: UInt64
        let network: String
        let account: String
        /// Whether the caller's device has signed in to this account before.
        let isKnownDevice: Bool
        fileprivate(set) var ready: UInt64 = 0

        init(token: UInt64, network: String, account: String, isKnownDevice: Bool = false) {
            self.token = token
            self.network = network
            self.account = account
            self.isKnownDevice = isKnownDevice
        }

        /// The lane whose turn it uses. Known devices share one lane, whichever network they call from.
        fileprivate var lane: String { isKnownDevice ? "" : network }
    }

    /// The waiting attempts in order of arrival.
    private(set) var waiting: [Try] = []
    private(set) var running = 0
    private var failures = FailedTries()
    /// The last turn of each lane and of each account in a lane. The one with the oldest turn is next.
    private var turns: [String: UInt64] = [:]
    private var turn: UInt64 = 0
    private var wasKnown = false
    /// The tick in which a network with many failures started its last check.
    private var started: [String: UInt64] = [:]

    var isFull: Bool { waiting.count >= GatewayLimits.passwordsWaiting }

    /// Adds an attempt. If the queue is full, removes and returns the newest attempt of the longest lane.
    mutating func add(_ one: Try, at tick: UInt64) -> Try? {
        var one = one
        one.ready = tick + (one.isKnownDevice ? 0 : delay(of: one.account, at: tick))
        waiting.append(one)
        guard waiting.count > GatewayLimits.passwordsWaiting else { return nil }
        let lengths = Dictionary(grouping: waiting.indices) { key(waiting[$0]) }
        let longest = lengths.values.max { ($0.count, $0[0]) < ($1.count, $1[0]) }
        return longest?.last.map { waiting.remove(at: $0) }
    }

    /// Returns the token of the attempt that starts now, or nil if none may start.
    mutating func next(at tick: UInt64) -> UInt64? {
        guard running < GatewayLimits.passwordsAtOnce else { return nil }
        let ready = waiting.indices.filter { mayStart(waiting[$0], at: tick) }
        guard !ready.isEmpty else { return nil }
        // Known devices and other callers alternate if both wait.
        let ofKind = ready.filter { waiting[$0].isKnownDevice != wasKnown }
        let candidates = ofKind.isEmpty ? ready : ofKind
        let order = candidates.map { index -> (lane: UInt64, account: UInt64, index: Int) in
            let one = waiting[index]
            return (one.isKnownDevice ? 0 : turns[one.lane] ?? 0, turns[key(one)] ?? 0, index)
        }
        guard let best = order.min(by: { ($0.lane, $0.account, $0.index) < ($1.lane, $1.account, $1.index) }) else {
            return nil
        }
        let one = waiting.remove(at: best.index)
        turn += 1
        wasKnown = one.isKnownDevice
        turns[one.lane] = turn
        turns[key(one)] = turn
        started[one.lane] = tick
        running += 1
        forgetIdle()
        return one.token
    }

    /// Frees the place of a check that has ended.
    mutating func ended() { running = max(0, running - 1) }

    mutating func failed(_ one: Try, at tick: UInt64) {
        failures.add(Self.name(account: one.account), at: tick)
        failures.add(Self.name(network: one.network), at: tick)
    }

    mutating func succeeded(_ account: String) { failures.forget(Self.name(account: account)) }

    /// Whether a known device has so many failures that it is treated as unknown: someone may be guessing on it.
    func isDoubtful(_ device: String, at tick: UInt64) -> Bool {
        failures.count("device \(device)", at: tick) >= GatewayLimits.triesOfDevice
    }

    mutating func failed(device: String, at tick: UInt64) { failures.add("device \(device)", at: tick) }

    /// Returns how many ticks a new attempt for the account waits before its password is checked.
    func delay(of account: String, at tick: UInt64) -> UInt64 {
        let count = failures.count(Self.name(account: account), at: tick)
        guard count >= GatewayLimits.triesFree else { return 0 }
        return min(
            GatewayLimits.triesDelayTicks << UInt64(min(count - GatewayLimits.triesFree, 16)),
            GatewayLimits.triesDelayTicksAtMost)
    }

    private func mayStart(_ one: Try, at tick: UInt64) -> Bool {
        guard one.ready <= tick else { return false }
        guard !one.isKnownDevice,
            failures.count(Self.name(network: one.network), at: tick) >= GatewayLimits.triesOfNetwork
        else { return true }
        return started[one.lane].map { $0 < tick } ?? true
    }

    private func key(_ one: Try) -> String { "\(one.lane)|\(one.account)" }

    /// Removes the turns of lanes without a waiting attempt once there are many.
    private mutating func forgetIdle() {
        guard turns.count > 2 * GatewayLimits.passwordsWaiting else { return }
        let used = Set(waiting.flatMap { [$0.lane, key($0)] })
        turns = turns.filter { used.contains($0.key) }
        started = started.filter { used.contains($0.key) }
    }

    private static func name(account: String) -> String { "account \(account)" }
    private static func name(network: String) -> String { "network \(network)" }
}
