import System

/// Which machine of a pair runs the farm, as a majority of three machines knows it: a key in etcd whose value is the
/// address of the machine, with a lease that this machine prolongs.
struct Vote {
    private let client: EtcdClient
    /// The address of this machine.
    private let own: String
    private var lease: String?

    static let key = "furrow/farm-server"
    /// Seconds after which a machine that is not heard of any more has lost the vote.
    static let seconds = 10
    /// Seconds before that at which the machine itself stops: less than two clocks drift and a kill takes.
    static let marginSeconds = 4

    init(_ client: EtcdClient, own: String) {
        self.client = client
        self.own = own
    }

    /// What a machine knows after a question.
    enum Outcome: Equatable {
        /// This machine has the vote for `seconds` from before the question.
        case isOwn
        case isOf(String)
        case isFree
    }

    /// Prolongs the vote of this machine, or takes it if no machine has it.
    mutating func hold() throws -> Outcome {
        if let lease, try client.keepAlive(lease) { return .isOwn }
        lease = nil
        switch try look() {
        case .isFree: return try take(if: .isAbsent) ? .isOwn : try look()
        case .isOwn: return try take(if: .hasValue(own)) ? .isOwn : try look()
        case .isOf(let other): return .isOf(other)
        }
    }

    /// Returns the address of the machine that has the vote; nil if none has.
    func holder() throws -> String? { try client.entry(of: Self.key)?.value }

    /// Returns which machine has the vote.
    func look() throws -> Outcome {
        guard let entry = try client.entry(of: Self.key) else { return .isFree }
        return entry.value == own ? .isOwn : .isOf(entry.value)
    }

    private mutating func take(if condition: EtcdClient.Condition) throws -> Bool {
        let new = try client.grant(seconds: Self.seconds)
        guard try client.put(Self.key, own, lease: new, if: condition) else { return false }
        lease = new
        return true
    }

    /// Lets the vote stay with this machine without a lease, for a stop that is intended.
    func stay() throws { _ = try client.put(Self.key, own, lease: nil, if: .hasValue(own)) }

    /// Returns the address of another machine that prolongs its vote, so it runs; nil if there is none.
    func runningHolder() throws -> String? {
        guard let entry = try client.entry(of: Self.key), entry.hasLease, entry.value != own else { return nil }
        return entry.value
    }

    /// Gives the vote to this machine, because a person promotes it.
    func seize() throws {
        let before = try client.entry(of: Self.key)
        _ = try client.put(Self.key, own, lease: nil, if: before.map { .hasValue($0.value) } ?? .isAbsent)
    }
}

/// Whether a standby takes over by itself (pure).
///
/// It takes the vote when it has seen the farm server lose it, and had everything shortly before.
struct Takeover {
    /// Seconds for which the standby may have been without the farm server: the vote's, and a look at either end.
    static let goodSeconds: Int64 = 20

    private var hasSeenHolder = false
    private var goodAt: Int64?

    /// - Parameters:
    ///   - now: seconds of a clock that does not jump.
    ///   - isGood: whether the standby has everything but the last seconds.
    mutating func shouldTake(_ vote: Vote.Outcome, isGood: Bool, at now: Int64) -> Bool {
        if isGood { goodAt = now }
        switch vote {
        case .isOwn: return true
        case .isOf:
            hasSeenHolder = true
            return false
        case .isFree:
            guard hasSeenHolder, let goodAt else { return false }
            return now - goodAt <= Self.goodSeconds
        }
    }
}
