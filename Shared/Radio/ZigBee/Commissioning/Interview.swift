public import Vocabulary

/// The interview of a device that has joined: its kind, endpoints, clusters and make are requested, one after the
/// other; then it is made to report its measuring clusters by itself.
///
/// A device on batteries listens for some seconds after it has sent something. So an interview without a response
/// pauses, and continues when the device sends its next message.
public struct Interview: Sendable {
    private enum Step: Hashable, Sendable {
        case nodeDescriptor, activeEndpoints
        case simpleDescriptor(UInt8)
        /// Requests maker, model and power source. Tuya's devices begin to work only after exactly this request.
        case names(UInt8)
        case bind(UInt8, UInt16)
        case configure(UInt8, UInt16)
        /// Makes an alarm zone send its notifications to the coordinator.
        case enroll(UInt8)
    }

    public let ieee: UInt64
    public private(set) var short: UInt16
    private let coordinator: UInt64
    private var steps: ArraySlice<Step> = [.nodeDescriptor, .activeEndpoints]
    private var found = InterviewedDevice()
    private var sent: (at: Instant, transaction: UInt8)?
    private var tries = 0
    private var isPaused = false
    private var pauses = 0
    private var transaction: UInt8 = 0

    /// Seconds until a request without a response is sent again, the requests until the interview pauses, and the
    /// pauses until a request is left out.
    static let patienceSeconds = 5.0
    static let tries = 3
    static let pausesMax = 4
    /// The endpoint of the coordinator that takes the reports.
    static let endpoint: UInt8 = 1

    /// - Parameter coordinator: The IEEE address of the coordinator.
    public init(of ieee: UInt64, short: UInt16, coordinator: UInt64) {
        self.ieee = ieee
        self.short = short
        self.coordinator = coordinator
    }

    /// What was found out, once the interview is over.
    public var result: InterviewedDevice? { steps.isEmpty ? found : nil }

    /// Returns the request that is due now, if any.
    public mutating func due(at now: Instant) -> FrameworkMessage.OutgoingMessage? {
        guard !isPaused, let step = steps.first else { return nil }
        if let sent, now >= sent.at, now.seconds(since: sent.at) < Self.patienceSeconds { return nil }
        guard tries < Self.tries else {
            pause()
            return nil
        }
        tries += 1
        transaction &+= 1
        sent = (now, transaction)
        return message(of: step)
    }

    /// Waits for the next message of the device, or leaves the request out.
    private mutating func pause() {
        (sent, tries) = (nil, 0)
        pauses += 1
        guard pauses >= Self.pausesMax, let step = steps.first else {
            isPaused = true
            return
        }
        switch step {
        // Without these nothing else can be requested.
        case .nodeDescriptor, .activeEndpoints: isPaused = true
        default: advance(note: "no response")
        }
    }

    /// Notes that the device has sent something and so can receive a request.
    public mutating func wake(short: UInt16) {
        self.short = short
        isPaused = false
    }

    /// Takes a response of the device object. Returns whether the interview proceeds.
    ///
    /// - Parameter transaction: That of the request.
    public mutating func receive(_ response: DeviceResponse, transaction: UInt8) -> Bool {
        guard sent?.transaction == transaction, let step = steps.first else { return false }
        switch (step, response) {
        case (.nodeDescriptor, .nodeDescriptor(let isRouter, let manufacturer)):
            found.isRouter = isRouter
            found.manufacturer = manufacturer
            advance()
        case (.activeEndpoints, .activeEndpoints(let endpoints)):
            advance()
            // Endpoint 242 is Green Power's.
            steps += endpoints.filter { $0 > 0 && $0 <= 240 }.prefix(16).map(Step.simpleDescriptor)
        case (.simpleDescriptor, .simpleDescriptor(let endpoint, let profile, let inputs)):
            take(endpoint, profile: profile, inputs)
        case (.bind, .bound): advance()
        case (_, .refused(let status)): advance(note: "refused: \(status)")
        default: return false
        }
        return true
    }

    private mutating func take(_ endpoint: UInt8, profile: UInt16, _ inputs: [UInt16]) {
        advance()
        // Profiles of a maker's own have clusters of other meanings.
        guard (0x0100...0x0109).contains(profile) || profile == 0xC05E else { return }
        if inputs.contains(MeasuringCluster.basic.rawValue), !found.hasNames {
            found.hasNames = true
            steps.append(.names(endpoint))
        }
        for cluster in inputs where ReportingPlan(cluster: cluster) != nil {
            steps += [.bind(endpoint, cluster), .configure(endpoint, cluster)]
        }
        if inputs.contains(AlarmZone.cluster) { steps.append(.enroll(endpoint)) }
    }

    /// Takes a message of a cluster. Returns whether the interview proceeds.
    public mutating func receive(_ frame: ZCLFrame, cluster: UInt16, endpoint: UInt8) -> Bool {
        guard let sent, sent.transaction == frame.transaction, !frame.isClusterSpecific, let step = steps.first else {
            return false
        }
        let isRefusal = frame.command == ZCLFrame.Command.defaultResponse
        switch step {
        case .names(endpoint) where cluster == MeasuringCluster.basic.rawValue:
            guard isRefusal || frame.command == ZCLFrame.Command.readAttributesResponse else { return false }
            advance()
        case .configure(endpoint, cluster):
            guard isRefusal || frame.command == ZCLFrame.Command.configureReportingResponse else { return false }
            if !isRefusal, ReportingPlan.isAccepted(frame.payload) {
                found.reporting.append(name(of: cluster))
                advance()
            } else {
                advance(note: "refused")
            }
        case .enroll(endpoint) where cluster == AlarmZone.cluster:
            guard isRefusal || frame.command == ZCLFrame.Command.writeAttributesResponse else { return false }
            if !isRefusal { found.reporting.append("alarm") }
            advance()
        default: return false
        }
        return true
    }

    private func name(of cluster: UInt16) -> String { ReportingPlan(cluster: cluster)?.name ?? "" }

    /// Goes on to the next request, with a note if this one was not fulfilled.
    private mutating func advance(note: String? = nil) {
        guard let step = steps.popFirst() else { return }
        (sent, tries, pauses) = (nil, 0, 0)
        guard let note else { return }
        switch step {
        case .configure(_, let cluster): found.unfulfilled.append("\(name(of: cluster)): \(note)")
        case .enroll: found.unfulfilled.append("alarm: \(note)")
        // A device that cannot be bound may report all the same.
        case .bind, .names, .simpleDescriptor, .nodeDescriptor, .activeEndpoints: break
        }
    }

    private func message(of step: Step) -> FrameworkMessage.OutgoingMessage {
        switch step {
        case .nodeDescriptor: return DeviceRequest.nodeDescriptor.message(to: short, ieee, transaction: transaction)
        case .activeEndpoints: return DeviceRequest.activeEndpoints.message(to: short, ieee, transaction: transaction)
        case .simpleDescriptor(let endpoint):
            return DeviceRequest.simpleDescriptor(endpoint: endpoint).message(
                to: short, ieee, transaction: transaction)
        case .bind(let endpoint, let cluster):
            return DeviceRequest.bind(endpoint: endpoint, cluster: cluster, to: coordinator, at: Self.endpoint)
                .message(to: short, ieee, transaction: transaction)
        case .names(let endpoint):
            var data = ByteWriter()
            for attribute: UInt16 in [4, 0, 1, 5, 7, 0xFFFE] { data.u16(attribute) }
            return command(ZCLFrame.Command.readAttributes, data.bytes, MeasuringCluster.basic.rawValue, endpoint)
        case .configure(let endpoint, let cluster):
            let payload = ReportingPlan(cluster: cluster)?.payload ?? []
            return command(ZCLFrame.Command.configureReporting, payload, cluster, endpoint)
        case .enroll(let endpoint):
            var data = ByteWriter()
            data.u16(0x0010)
            data.u8(0xF0)
            data.u64(coordinator)
            return command(ZCLFrame.Command.writeAttributes, data.bytes, AlarmZone.cluster, endpoint)
        }
    }

    private func command(
        _ command: UInt8, _ payload: [UInt8], _ cluster: UInt16, _ endpoint: UInt8
    ) -> FrameworkMessage.OutgoingMessage {
        let frame = ZCLFrame(transaction: transaction, command: command, payload: payload)
        return FrameworkMessage.OutgoingMessage(
            destination: short, destinationEndpoint: endpoint, sourceEndpoint: Self.endpoint, cluster: cluster,
            transaction: transaction, data: frame.bytes)
    }
}

/// What an interview has found out.
public struct InterviewedDevice: Hashable, Sendable {
    /// Whether it forwards messages of others; it is then on mains.
    public var isRouter = false
    /// The number of its manufacturer, as the ZigBee alliance assigned it; 0 if it gave none.
    public var manufacturer: UInt16 = 0
    /// What it reports by itself: `temperature`, `battery`, `alarm`.
    public var reporting: [String] = []
    /// What it should report and does not, with the reason: `humidity: refused`.
    public var unfulfilled: [String] = []
    fileprivate(set) var hasNames = false
}
