import Radio
import Vocabulary

/// The state machine that starts and monitors a ZigBee coordinator (Z-Stack) on a serial line.
///
/// Requires a coordinator that has already formed its network. Forming one writes its memory and is left to the
/// operator.
struct Coordinator {
    /// The response that is awaited, in this order.
    enum Phase: Sendable, Equatable { case greeting, identifying, starting, registering(Int), subscribing, running }

    private(set) var phase = Phase.greeting
    private var sent: Instant?
    private var lastHeard: Instant?
    private var asked: [UInt16: Instant] = [:]
    /// The time at which the current start began.
    private var began: Instant?
    /// Whether the firmware rejected the command of the current phase as unknown.
    private var isRefused = false

    /// Seconds without a response after which a request is sent again.
    static let patienceSeconds = 2.0
    /// Seconds of silence after which a running coordinator is asked for its network state.
    ///
    /// A network of few nodes is often silent, but a chip that lost power stays silent until it is started.
    static let silenceSeconds = 60.0
    /// Seconds after which a start counts as failed, and after which an unanswered status request counts as a failure.
    static let startSeconds = 30.0
    /// The state of a coordinator whose network is up (ZDO_STATE_CHANGE_IND).
    static let startedState: UInt8 = 9
    /// The most short addresses that are being resolved at the same time.
    static let askedAtMost = 64

    /// Endpoint 1 for Home Automation, and one for each profile of the farm's own nodes.
    let endpoints: [FrameworkMessage.EndpointDescription]

    /// - Parameter layouts: those of the farm's own nodes, besides the known ones.
    init(layouts: [Layout] = []) {
        var clusters: [UInt8: [UInt16]] = [1: [0x0400, 0x0402, 0x0405], 240: [Layout.furrowNode.cluster]]
        var profiles = ZNPDecoder.usualProfiles
        for layout in layouts {
            profiles[layout.endpoint] = layout.profile
            clusters[layout.endpoint, default: []].append(layout.cluster)
        }
        endpoints = profiles.sorted { $0.key < $1.key }.map { endpoint, profile in
            .init(
                endpoint: endpoint, profile: profile, device: 5, version: 0,
                inputs: Array(clusters[endpoint, default: []].prefix(Self.clustersEach)), outputs: [])
        }
    }

    /// The most clusters of one endpoint that are listed for others; messages of all clusters arrive.
    private static let clustersEach = 16

    /// Returns the message that is due now, if any.
    mutating func due(at now: Instant) -> ZNPMessage? {
        if began == nil { began = now }
        if let sent, now.seconds(since: sent) < Self.patienceSeconds, now >= sent { return nil }
        if phase == .running, let lastHeard, !RadioInput.isPast(lastHeard, Self.silenceSeconds, now) { return nil }
        sent = now
        return request
    }

    /// Advances by a received message; returns the next message to send, if any.
    mutating func receive(_ message: ZNPMessage, at now: Instant) -> ZNPMessage? {
        lastHeard = now
        if case .refused = message { isRefused = true }
        guard let next = next(after: message) else { return nil }
        if phase == .running { began = now }
        phase = next
        isRefused = false
        sent = nil
        return due(at: now)
    }

    /// Returns the request for the IEEE address of a short address; nil if one was sent in the last 10 s or too many
    /// are pending.
    mutating func ask(who short: UInt16, at now: Instant) -> ZNPMessage? {
        asked = asked.filter { now.seconds(since: $0.value) < 10 && now >= $0.value }
        guard asked[short] == nil, asked.count < Self.askedAtMost else { return nil }
        asked[short] = now
        return .deviceObject(.askIEEE(of: short, kind: 0, startIndex: 0))
    }

    /// Returns why the coordinator does not work, as a text for operators; nil while it runs or is being started.
    func trouble(at now: Instant) -> String? {
        if phase == .running {
            let isSilent = lastHeard.map { RadioInput.isPast($0, Self.silenceSeconds + Self.startSeconds, now) } ?? true
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
        case .registering(let index): .framework(.register(endpoints[index]))
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
            index + 1 < endpoints.count ? .registering(index + 1) : .subscribing
        case (.subscribing, .deviceObject(.subscribed)): .running
        case (.running, .deviceObject(.deviceInfo(let info))) where info.state != Self.startedState: .starting
        // The coordinator was reset, so the start begins again.
        case (_, .system(.didReset)): .greeting
        default: nil
        }
    }
}
