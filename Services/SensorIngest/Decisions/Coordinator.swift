import Radio
import Vocabulary

/// The state machine that starts and monitors a ZigBee coordinator (Z-Stack) on a serial line.
///
/// A coordinator without a network stays without one until a person has one formed: forming erases its memory.
struct Coordinator {
    /// What is done, in this order.
    enum Phase: Sendable, Equatable {
        case greeting, versioning, identifying
        /// Whether the coordinator's memory contains a network; Z-Stack 3 also says whether it is part of it.
        case checkingRecord, checkingMembership
        /// There is no network.
        case blank
        case forming, starting
        /// A backup is read, or restored.
        case reading, restoring
        case registering(Int)
        case subscribing
        /// Reads the network's numbers for people.
        case describing
        case running
    }

    private(set) var phase = Phase.greeting
    private(set) var firmware: SystemMessage.Firmware?
    /// The coordinator's IEEE address.
    private(set) var ieee: UInt64?
    private(set) var network: NetworkRecord?
    private var procedure: CoordinatorProcedure?
    /// The last backup, or why there is none.
    private(set) var backup: CoordinatorBackup?
    private(set) var backupFailure: String?
    /// Why the last attempt to form or restore a network failed.
    private(set) var formingFailure: String?
    /// The network that was formed since the last call of `takeFormed`.
    private var formed: NetworkRecord?
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
        let patience = procedure?.patience ?? Self.patienceSeconds
        if let sent, now.seconds(since: sent) < patience, now >= sent { return nil }
        if isAtRest, let lastHeard, !RadioInput.isPast(lastHeard, Self.silenceSeconds, now) { return nil }
        sent = now
        guard procedure != nil else { return request }
        let next = procedure?.request()
        if let failure = procedure?.failure { fail(failure, at: now) }
        return next
    }

    /// Whether nothing is to be done unless something happens.
    private var isAtRest: Bool { phase == .running || phase == .blank }

    /// Whether a person can have a network formed now.
    var canForm: Bool { isAtRest }

    /// Begins to form a network; the one before, if there is one, is erased.
    mutating func form(_ settings: NetworkSettings, at now: Instant) -> ZNPMessage? {
        begin(.forming(NetworkForming(settings, product: firmware?.product ?? 0)), .forming, at: now)
    }

    /// Begins to restore the network of a backup; the one before, if there is one, is erased.
    mutating func restore(_ backup: CoordinatorBackup, random: [UInt8], at now: Instant) -> ZNPMessage? {
        let restoring = NetworkRestoring(backup, product: firmware?.product ?? 0, random: random)
        return begin(.restoring(restoring), .restoring, at: now)
    }

    /// Begins to read a backup.
    mutating func readBackup(at now: Instant) -> ZNPMessage? {
        (backup, backupFailure) = (nil, nil)
        (procedure, phase, sent) = (.reading(NetworkReading(product: firmware?.product ?? 0)), .reading, nil)
        return due(at: now)
    }

    private mutating func begin(
        _ procedure: CoordinatorProcedure, _ phase: Phase, at now: Instant
    ) -> ZNPMessage? {
        (backup, backupFailure) = (nil, nil)
        (self.procedure, self.phase, formingFailure, network, sent, began) = (procedure, phase, nil, nil, nil, now)
        return due(at: now)
    }

    /// Returns a network that has been formed, once.
    mutating func takeFormed() -> NetworkRecord? {
        defer { formed = nil }
        return formed
    }

    /// Ends what a person had the coordinator do. It is started again, as its state is not known.
    private mutating func fail(_ reason: String, at now: Instant) {
        if phase == .reading { backupFailure = reason } else { formingFailure = reason }
        (phase, procedure, sent, began) = (.greeting, nil, nil, now)
    }

    /// Advances by a received message; returns the next message to send, if any.
    mutating func receive(_ message: ZNPMessage, at now: Instant) -> ZNPMessage? {
        lastHeard = now
        note(message)
        guard let next = next(after: message) else { return nil }
        if isAtRest { began = now }
        phase = next
        isRefused = false
        sent = nil
        return due(at: now)
    }

    private mutating func note(_ message: ZNPMessage) {
        switch message {
        case .refused: isRefused = true
        case .system(.version(let version)): firmware = version
        case .deviceObject(.deviceInfo(let info)): ieee = info.ieee
        default: break
        }
    }

    /// Returns the request for the IEEE address of a short address; nil if one was sent in the last 10 s or too many
    /// are pending.
    mutating func ask(who short: UInt16, at now: Instant) -> ZNPMessage? {
        asked = asked.filter { now.seconds(since: $0.value) < 10 && now >= $0.value }
        guard asked[short] == nil, asked.count < Self.askedAtMost else { return nil }
        asked[short] = now
        return .deviceObject(.askIEEE(of: short, kind: 0, startIndex: 0))
    }

    /// Whether nothing was received for so long that the connection counts as lost.
    func isSilent(at now: Instant) -> Bool {
        (lastHeard ?? began).map { RadioInput.isPast($0, Self.silenceSeconds + Self.startSeconds, now) } ?? false
    }

    /// Returns why the coordinator does not work, as a text for operators; nil while it runs or is being started.
    func trouble(at now: Instant) -> String? {
        if phase == .blank { return formingFailure ?? "it has no network yet: create one on the page Sensors" }
        if phase == .running {
            let isSilent = lastHeard.map { RadioInput.isPast($0, Self.silenceSeconds + Self.startSeconds, now) } ?? true
            return isSilent ? "it does not answer any more" : nil
        }
        guard let began, RadioInput.isPast(began, Self.startSeconds, now) else { return nil }
        switch phase {
        case .greeting: return "it does not answer: it may be another kind of coordinator than Z-Stack"
        case .versioning, .identifying, .checkingRecord, .checkingMembership:
            return "it answers, but does not say how its network is"
        case .starting where isRefused: return "its firmware does not know the command that starts its network"
        case .starting: return "its network does not start"
        case .registering, .subscribing: return "its network is up, but it does not pass on what devices send"
        case .blank, .forming, .reading, .restoring, .describing, .running: return nil
        }
    }

    private var request: ZNPMessage {
        switch phase {
        case .greeting, .forming, .reading, .restoring: .system(.ping)
        case .versioning: .system(.askVersion)
        case .identifying, .running, .blank: .deviceObject(.askDeviceInfo)
        case .checkingRecord, .describing: .memory(.read(item: MemoryItem.network, offset: 0))
        case .checkingMembership: .memory(.read(item: MemoryItem.isOnNetwork, offset: 0))
        case .starting: .deviceObject(isFirstGeneration ? .start(delay: 100) : .commission(mode: 4))
        case .registering(let index): .framework(.register(endpoints[index]))
        case .subscribing: .deviceObject(.subscribe(cluster: 0xFFFF))
        }
    }

    /// Z-Stack 1.2; later ones start by commissioning.
    private var isFirstGeneration: Bool { firmware?.product == 0 }

    private mutating func next(after message: ZNPMessage) -> Phase? {
        switch (phase, message) {
        case (.forming, _), (.reading, _), (.restoring, _): return procedureNext(after: message)
        case (.greeting, .system(.pong)): return .versioning
        case (.versioning, .system(.version)): return .identifying
        case (.versioning, .refused(_, request: 0x2102)): return .identifying
        case (.identifying, .deviceObject(.deviceInfo(let info))):
            return info.state == Self.startedState ? .registering(0) : .checkingRecord
        case (.checkingRecord, .memory(.value(_, let bytes))):
            guard record(bytes)?.isFormed == true else { return .blank }
            return isFirstGeneration ? .starting : .checkingMembership
        case (.checkingMembership, .memory(.value(_, let bytes))): return bytes == [1] ? .starting : .blank
        case (.starting, .deviceObject(.stateChanged(Self.startedState))): return .registering(0)
        case (.registering(let index), .framework(.registered)):
            return index + 1 < endpoints.count ? .registering(index + 1) : .subscribing
        case (.subscribing, .deviceObject(.subscribed)): return .describing
        case (.describing, .memory(.value(_, let bytes))):
            network = record(bytes) ?? network
            return .running
        case (.describing, .refused(_, request: 0x2108)): return .running
        case (.running, .deviceObject(.deviceInfo(let info))) where info.state != Self.startedState:
            return .checkingRecord
        case (.blank, .deviceObject(.deviceInfo(let info))) where info.state == Self.startedState:
            return .registering(0)
        // The coordinator was reset, so the start begins again.
        case (_, .system(.didReset)): return .greeting
        default: return nil
        }
    }

    private func record(_ bytes: [UInt8]) -> NetworkRecord? {
        do throws(Malformed) {
            return try NetworkRecord(bytes)
        } catch {
            return nil
        }
    }

    /// Goes on with what a person has the coordinator do. Returns the next phase, which is the same while requests are
    /// left.
    private mutating func procedureNext(after message: ZNPMessage) -> Phase? {
        guard procedure?.receive(message) == true else {
            if let failure = procedure?.failure {
                fail(failure, at: lastHeard ?? .earliest)
                return .greeting
            }
            return nil
        }
        switch procedure {
        case .forming(let forming):
            guard let network = forming.formed else { return phase }
            (self.network, formed, procedure) = (network, network, nil)
            return .registering(0)
        case .reading(let reading):
            guard let backup = reading.backup else { return phase }
            (self.backup, procedure) = (backup, nil)
            return .running
        case .restoring(let restoring):
            guard restoring.isDone else { return phase }
            procedure = nil
            return .greeting
        case nil: return nil
        }
    }
}
