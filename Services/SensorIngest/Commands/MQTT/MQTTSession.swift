import Vocabulary

/// The account of a broker and what is subscribed to.
public struct BrokerSettings: Sendable {
    /// The name of the source: `mqtt://broker:1883`, without credentials.
    public var source: String
    /// The client id, under which the broker stores undelivered messages.
    public var client: String
    public var user: String?
    public var password: String?
    /// The filters of topics.
    public var topics: [String]
    /// The name of the group among whose members the broker divides raw advertisements; nil if they are not divided.
    public var group: String?
    /// Under which prefix and name the farm's points are announced to Home Assistant; nil if they are not.
    var announcement: HomeAssistantAnnouncement?
    /// Whether it only shares subscriptions of the group, so the broker stores its session for minutes only.
    public var isMember = false

    public init(
        source: String, client: String, user: String? = nil, password: String? = nil,
        topics: [String] = BrokerSettings.topics, group: String? = nil
    ) {
        self.source = source
        self.client = client
        self.user = user
        self.password = password
        self.topics = topics
        self.group = group
    }

    /// The default filters: zigbee2mqtt, OpenMQTTGateway and Theengs, Ruuvi Gateway, Tasmota, Home Assistant discovery.
    public static let topics = [
        "zigbee2mqtt/#", "home/+/BTtoMQTT/+", "ruuvi/+/+", "tele/+/SENSOR", "homeassistant/sensor/+/config",
        "homeassistant/sensor/+/+/config",
    ]
}

/// The protocol of one connection to a broker, without input or output: received bytes become messages, and bytes to
/// send.
///
/// `wall` is wall-clock time, by which silence is measured. Messages are acknowledged by the caller, once they are
/// committed.
struct MQTTSession {
    /// What is to be done after bytes or time.
    struct Output {
        var bytes: [UInt8] = []
        var packets: [MQTTPacket] = []
        /// Why the connection is to be closed; nil if it continues.
        var close: String?
    }

    private enum State: Equatable {
        case closed
        case connecting(since: Instant)
        case open(since: Instant)
    }

    private let settings: BrokerSettings
    private var parser = MQTTParser()
    private var state = State.closed
    private var keepAlive = Double(MQTTLimits.keepAliveSeconds)
    private var received: Instant?
    /// Whether the broker continues a session, of which it first delivers what waited.
    private var isCatchingUp = false
    private var hasBacklog = false
    private var pinged: Instant?
    private var next: UInt16 = 1
    /// The filters of each request that the broker has not answered.
    private var requested: [UInt16: [MQTTRequest.Filter]] = [:]
    /// Filters that the broker refuses.
    private var refused: [String] = []

    init(_ settings: BrokerSettings) {
        self.settings = settings
    }

    /// The time since which the broker has accepted the connection; nil if there is none.
    var connectedSince: Instant? { if case .open(let since) = state { since } else { nil } }

    /// Whether the broker has accepted the connection and answered all subscriptions.
    var isSubscribed: Bool { connectedSince != nil && requested.isEmpty }

    /// Returns why nothing arrives although the connection exists; nil while it works.
    func trouble(at wall: Instant) -> String? {
        switch state {
        case .closed: nil
        case .connecting(let since):
            RadioInput.isPast(since, MQTTLimits.patienceSeconds, wall) ? "the broker does not respond" : nil
        case .open:
            refused.isEmpty
                ? nil
                : "the broker does not let \(settings.user ?? "this client") read \(refused.joined(separator: ", "))"
        }
    }

    /// Returns the first packet of a new connection.
    mutating func opened(at wall: Instant) -> [UInt8] {
        let settings = settings
        self = MQTTSession(settings)
        state = .connecting(since: wall)
        return MQTTRequest.connect(
            client: settings.client, user: settings.user, password: settings.password,
            keepingSession: settings.isMember ? MQTTLimits.memberSessionSeconds : MQTTLimits.sessionSeconds,
            farewell: settings.announcement.map {
                MQTTPublication(topic: $0.statusTopic, payload: Array("offline".utf8), isRetained: true)
            })
    }

    /// Notes that there is no connection any more.
    mutating func closed() { state = .closed }

    mutating func receive(_ bytes: [UInt8], at wall: Instant) -> Output {
        guard state != .closed else { return Output() }
        received = wall
        var output = Output()
        do throws(MQTTError) {
            for packet in try parser.feed(bytes) { take(packet, at: wall, &output) }
        } catch {
            output.close = "what it sends is no MQTT 5: \(error.reason)"
        }
        if output.close != nil { state = .closed }
        return output
    }

    /// Returns the ping that is due, or the end of a connection that is silent.
    mutating func tend(at wall: Instant) -> Output {
        var output = Output()
        switch state {
        case .closed: break
        case .connecting(let since):
            guard RadioInput.isPast(since, MQTTLimits.patienceSeconds, wall) else { break }
            output.close = "it does not answer the request to connect"
        case .open(let since):
            // Brokers deliver the rest of a long backlog after the answer, as fast as it is acknowledged.
            if RadioInput.isPast(since, MQTTLimits.backlogSeconds, wall)
                || requested.isEmpty && RadioInput.isPast(received ?? since, MQTTLimits.backlogPauseSeconds, wall)
            {
                isCatchingUp = false
            }
            let pause = keepAlive / 2
            if let pinged, (received ?? since) < pinged {
                // No further ping before the answer: each would renew the broker's time to respond.
                guard RadioInput.isPast(pinged, MQTTLimits.patienceSeconds, wall) else { break }
                output.close = "it has been silent for \(Int(MQTTLimits.patienceSeconds)) s"
            } else if RadioInput.isPast(pinged ?? since, pause, wall) {
                pinged = wall
                output.bytes = MQTTRequest.ping
            }
        }
        if output.close != nil {
            state = .closed
            output.bytes = MQTTRequest.disconnect
        }
        return output
    }

    /// Returns the packet that subscribes to further filters.
    mutating func subscribe(_ filters: [MQTTRequest.Filter]) -> [UInt8] {
        stride(from: 0, to: filters.count, by: MQTTLimits.filters).flatMap { start in
            let part = Array(filters[start..<min(start + MQTTLimits.filters, filters.count)])
            let id = next
            next = next == .max ? 1 : next + 1
            requested[id] = part
            return MQTTRequest.subscribe(part, id: id)
        }
    }

    private mutating func take(_ packet: MQTTPacket, at wall: Instant, _ output: inout Output) {
        switch packet {
        case .connected(let isSessionPresent, 0, _, let seconds):
            state = .open(since: wall)
            isCatchingUp = isSessionPresent
            if let seconds, seconds > 0 { keepAlive = Double(seconds) }
            output.bytes += subscribe(settings.filters)
        case .connected(_, let reason, let text, _):
            output.close = Self.refusal(reason, text, of: settings.user)
        case .subscribed(let id, let reasons):
            for (filter, reason) in zip(requested.removeValue(forKey: id) ?? [], reasons) where reason >= 0x80 {
                refused.append(filter.topics)
            }
            if !hasBacklog { isCatchingUp = false }
        case .disconnected(let reason, let text):
            output.close = Self.ending(reason, text)
        case .message(var message):
            message.hasWaited = isCatchingUp
            hasBacklog = hasBacklog || isCatchingUp
            output.packets.append(.message(message))
        case .oversized: output.packets.append(packet)
        case .pong: break
        }
    }

    /// Returns why the broker refuses the connection, and what to do (MQTT 5.0, 3.2.2.2).
    private static func refusal(_ reason: UInt8, _ text: String?, of user: String?) -> String {
        let said = text.map { " (\($0.prefix(bytes: MQTTLimits.reasonBytes)))" } ?? ""
        return switch reason {
        case 0x84, 1: "it does not support MQTT 5\(said)"
        case 0x85, 2: "it refuses the client id\(said): set FURROW_MQTT_CLIENT"
        case 0x86, 0x87, 4, 5:
            user.map { "it refuses the password of \($0)\(said): check FURROW_MQTT_USER and FURROW_MQTT_PASSWORD" }
                ?? "it requires a password\(said): set FURROW_MQTT_USER and FURROW_MQTT_PASSWORD"
        default: "it refuses the connection with reason \(reason)\(said)"
        }
    }

    private static func ending(_ reason: UInt8, _ text: String?) -> String {
        let said = text.map { " (\($0.prefix(bytes: MQTTLimits.reasonBytes)))" } ?? ""
        return switch reason {
        case 0x8B: "it is shutting down\(said)"
        case 0x8E: "another client uses the same client id\(said): set FURROW_MQTT_CLIENT"
        default: "it has ended the connection with reason \(reason)\(said)"
        }
    }
}

extension BrokerSettings {
    /// The filters as the broker gets them. Topics whose messages are understood one by one are shared by the group;
    /// the others need everything that a device sends in one place.
    ///
    /// Lists and announcements come first and at QoS 0: a backlog of messages that wait for them, unacknowledged, would
    /// otherwise keep the broker from delivering them.
    var filters: [MQTTRequest.Filter] {
        let lists = topics.compactMap { topics in
            topics.hasSuffix("/#") ? "\(topics.dropLast(2))/bridge/devices" : topics.hasSuffix("/config") ? topics : nil
        }
        let announced = announcement.map { [$0.ownTopics, $0.birthTopic] } ?? []
        return (lists + announced).map { MQTTRequest.Filter(topics: $0, isAcknowledged: false) }
            + topics.filter { !lists.contains($0) }.map { topics in
                guard let group, Self.isShareable(topics) else { return MQTTRequest.Filter(topics: topics) }
                return MQTTRequest.Filter(topics: "$share/\(group)/\(topics)")
            }
    }

    static func isShareable(_ topics: String) -> Bool {
        topics.hasPrefix("ruuvi/") || topics.contains("/BTtoMQTT/")
    }
}
