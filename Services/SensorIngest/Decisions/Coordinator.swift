import Radio
import Vocabulary

/// Brings up a ZigBee coordinator on a serial line and keeps an eye on it: says what to send next.
///
/// Only a coordinator that has formed its network is started; forming one writes its memory and is the operator's act.
struct Coordinator {
    /// What is waited for, in this order.
    enum Phase: Sendable, Equatable { case greeting, identifying, starting, registering(Int), subscribing, running }

    private(set) var phase = Phase.greeting
    private var sent: Instant?
    private var heard: Instant?
    private var asked: [UInt16: Instant] = [:]
    /// Since when it is being started.
    private var began: Instant?
    /// Whether its firmware does not know the command of the present phase.
    private var isRefused = false

    /// A request is repeated when nothing has come back for so long.
    static let patienceSeconds = 2.0
    /// One that runs and says nothing for so long is asked whether its network is still up: few nodes say little, and a
    /// chip that lost its power says nothing until it is started.
    static let silenceSeconds = 60.0
    /// How long a start may take before it counts as failed, and how long one that runs may leave a question open.
    static let startSeconds = 30.0
    /// The state of a coordinator whose network is up (ZDO_STATE_CHANGE_IND).
    static let startedState: UInt8 = 9
    /// Short addresses that are being asked about at once.
    static let askedAtMost = 64

    /// Endpoint 1 for Home Automation, 240 for the farm's own nodes.
    static let endpoints: [FrameworkMessage.EndpointDescription] = [
        .init(endpoint: 1, profile: 0x0104, device: 5, version: 0, inputs: [0x0400, 0x0402, 0x0405], outputs: []),
        .init(
            endpoint: 240, profile: Layout.furrowNode.profile, device: 5, version: 0,
            inputs: [Layout.furrowNode.cluster], outputs: []),
    ]

    /// What to send, if it is time to.
    mutating func due(at now: Instant) -> ZNPMessage? {
        if began == nil { began = now }
        if let sent, now.seconds(since: sent) < Self.patienceSeconds, now >= sent { return nil }
        if phase == .running, let heard, !RadioInput.isPast(heard, Self.silenceSeconds, now) { return nil }
        sent = now
        return request
    }

    /// Moves on by what came in; says what to send next, if anything.
    mutating func hear(_ message: ZNPMessage, at now: Instant) -> ZNPMessage? {
        heard = now
        if case .refused = message { isRefused = true }
        guard let next = next(after: message) else { return nil }
        if phase == .running { began = now }
        phase = next
        isRefused = false
        sent = nil
        return due(at: now)
    }

    /// Asks who is behind a short address, once in a while.
    mutating func ask(who short: UInt16, at now: Instant) -> ZNPMessage? {
        asked = asked.filter { now.seconds(since: $0.value) < 10 && now >= $0.value }
        guard asked[short] == nil, asked.count < Self.askedAtMost else { return nil }
        asked[short] = now
        return .deviceObject(.askIEEE(of: short, kind: 0, startIndex: 0))
    }

    /// Why it does not work, in words for its operator; nil while it runs, or is still being started.
    func trouble(at now: Instant) -> String? {
        if phase == .running {
            let isSilent = heard.map { RadioInput.isPast($0, Self.silenceSeconds + Self.startSeconds, now) } ?? true
            return isSilent ? "it does not answer any more" : nil
        }
        guard let began, RadioInput.isPast(began, Self.startSeconds, now) else { return nil }
        switch phase {
        case .greeting: return "it does not answer: it may be another kind of coordinator than Z-Stack"
        case .identifying: return "it answers, but does not say how its network is"
        case .starting where isRefused: return "its firmware does not know the command that starts its network"
        case .starting: return "its network does not start: it may not be formed yet"
        case .registering, .subscribing: return "its network is up, but it does not pass on what devices send"
        case .running: return nil
        }
    }

    private var request: ZNPMessage {
        switch phase {
        case .greeting: .system(.ping)
        case .identifying, .running: .deviceObject(.askDeviceInfo)
        case .starting: .deviceObject(.start(delay: 100))
        case .registering(let index): .framework(.register(Self.endpoints[index]))
        case .subscribing: .deviceObject(.subscribe(cluster: 0xFFFF))
        }
    }

    private func next(after message: ZNPMessage) -> Phase? {
        switch (phase, message) {
        case (.greeting, .system(.pong)): .identifying
        case (.identifying, .deviceObject(.deviceInfo(let info))):
            info.state == Self.startedState ? .registering(0) : .starting
        case (.starting, .deviceObject(.stateChanged(Self.startedState))): .registering(0)
        case (.registering(let index), .framework(.registered)):
            index + 1 < Self.endpoints.count ? .registering(index + 1) : .subscribing
        case (.subscribing, .deviceObject(.subscribed)): .running
        case (.running, .deviceObject(.deviceInfo(let info))) where info.state != Self.startedState: .starting
        // It was reset: everything begins anew.
        case (_, .system(.didReset)): .greeting
        default: nil
        }
    }
}
