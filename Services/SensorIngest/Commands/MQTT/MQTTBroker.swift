import Events
import Radio
import Vocabulary

/// One decoded message of a broker.
struct BrokerInput {
    var decoded: DecodedInput
    let excerpt: QuarantinedBytes
    let source: String
    let at: Instant
    /// If the broker has sent the message before: the earliest time at which it can have been recorded then. Its report
    /// keeps the time of that reception.
    var recordedAfter: Instant?
    /// Whether the message waited in the broker and has no time, so its values are of an unknown past.
    var isOfThePast = false
}

/// The state of a connection to a broker, for people.
struct BrokerStatus: Equatable {
    var connected: Instant?
    var lastMessage: Instant?
    /// Messages since the start of the process, and those of them that could not be used, by reason.
    var messages = 0
    var refused: [String: Int] = [:]
    var offline = 0
}

/// An MQTT broker: the session, the meaning of its messages, and the acknowledgements that are due.
///
/// `now` is the site's time, which events carry. `wall` is wall-clock time, by which silence and timeouts are measured.
struct MQTTBroker {
    /// What is to be recorded, sent and counted. The bytes acknowledge the inputs, so they are sent after the commit.
    struct Output {
        var inputs: [BrokerInput] = []
        var bytes: [UInt8] = []
        var close: String?
        var refused: [String: Int] = [:]
    }

    private struct Waiting {
        let message: MQTTMessage
        let at: Instant
        let wall: Instant
    }

    private let settings: BrokerSettings
    private var session: MQTTSession
    private var mapper: MessageMapper
    private var keys: [DeviceID: [UInt8]]
    /// Messages whose device is in no list yet. They are not acknowledged, so `MQTTLimits.inFlight` bounds them.
    private var waiting: [Waiting] = []
    private var announcement: HomeAssistantAnnouncement?
    private var lastAnnouncement: Instant?
    private var counts = BrokerStatus()
    /// Why the connection ended last, until the next one is accepted.
    private var ending: String?
    /// When the broker sent something last, and when that was before the connection began.
    private var lastReceived: Instant?
    private var receivedBefore: Instant?

    init(_ settings: BrokerSettings, keys: [DeviceID: [UInt8]]) {
        self.settings = settings
        self.keys = keys
        session = MQTTSession(settings)
        mapper = MessageMapper(topics: settings.topics, keys: keys)
        announcement = settings.announcement
    }

    var status: BrokerStatus {
        var status = counts
        (status.connected, status.offline) = (session.connectedSince, mapper.offline)
        return status
    }

    /// Returns why nothing arrives, as a text for operators; nil while the connection works.
    func trouble(at wall: Instant) -> String? {
        session.connectedSince == nil ? ending ?? session.trouble(at: wall) : session.trouble(at: wall)
    }

    /// Notes the time of the newest report before this process began: the last sign of the connection before.
    mutating func begin(after lastReport: Instant?) { lastReceived = lastReport }

    /// Takes the keys of devices that encrypt.
    mutating func pair(_ keys: [DeviceID: [UInt8]]) {
        self.keys = keys
        mapper.pair(keys)
    }

    /// Begins a new connection. What was not acknowledged is sent again.
    mutating func opened(at wall: Instant) -> Output {
        receivedBefore = lastReceived
        mapper = MessageMapper(topics: settings.topics, keys: keys)
        waiting = []
        announcement?.restart()
        lastAnnouncement = nil
        return Output(bytes: session.opened(at: wall))
    }

    /// Notes that there is no connection; `why` is a text for operators, nil if it needs no explanation.
    mutating func closed(why: String?) {
        session.closed()
        if let why { ending = why }
    }

    mutating func receive(
        _ bytes: [UInt8], at now: Instant, wall: Instant, known: (DeviceID) -> KnownValues?
    ) -> Output {
        let step = session.receive(bytes, at: wall)
        // A connection that ends before its subscriptions has not delivered again what was not acknowledged.
        if session.isSubscribed { lastReceived = now }
        var output = Output(bytes: step.bytes, close: step.close)
        for packet in step.packets {
            counts.messages += 1
            counts.lastMessage = now
            switch packet {
            case .message(let message) where announcement?.take(message.topic, message.payload) == true:
                acknowledge(message.id, &output)
            case .message(let message): take(message, at: now, wall: wall, &output, known)
            case .oversized(let topic, let id, let bytes):
                refuse(
                    "too-large", "a message of \(bytes) bytes; at most \(MQTTLimits.packetBytes) are read",
                    QuarantinedBytes(Array(topic.utf8), length: bytes), at: now, &output)
                acknowledge(id, &output)
            case .connected, .subscribed, .pong, .disconnected: break
            }
        }
        end(output)
        return output
    }

    /// Returns what is due by time: a ping, and messages that have waited for the list of devices long enough.
    mutating func tend(at now: Instant, wall: Instant, known: (DeviceID) -> KnownValues?) -> Output {
        let step = session.tend(at: wall)
        var output = Output(bytes: step.bytes, close: step.close)
        if let first = waiting.first, RadioInput.isPast(first.wall, MQTTLimits.unresolvedSeconds, wall) {
            release(at: now, isLate: true, &output, known) { _ in true }
        }
        end(output)
        return output
    }

    /// Returns what is new of the next points; a part of them each second, so that no step takes long.
    ///
    /// - Parameter points: Returns the points after one, and the last of them; nil at the end.
    mutating func announce(
        at now: Instant, wall: Instant, points: (String?) -> (points: [AnnouncedPoint], last: String?)
    ) -> [UInt8] {
        guard announcement != nil, session.isSubscribed,
            lastAnnouncement.map({ RadioInput.isPast($0, MQTTLimits.announcementSeconds, wall) }) ?? true
        else { return [] }
        var publications: [MQTTPublication] = []
        if lastAnnouncement == nil, let announcement { publications.append(announcement.isHere) }
        lastAnnouncement = wall
        let (some, last) = points(announcement?.after)
        publications += announcement?.publish(some, upTo: last, at: now) ?? []
        return publications.flatMap(MQTTRequest.publish)
    }

    private mutating func end(_ output: Output) {
        if session.connectedSince != nil { ending = nil }
        if let close = output.close { ending = close }
        for (reason, count) in output.refused { counts.refused[reason, default: 0] += count }
    }

    private mutating func take(
        _ message: MQTTMessage, at now: Instant, wall: Instant, isLate: Bool = false, _ output: inout Output,
        _ known: (DeviceID) -> KnownValues?
    ) {
        do throws(Malformed) {
            switch try mapper.map(message, at: now, isLate: isLate, known: known) {
            case .mapped(let mapped):
                output.inputs.append(
                    BrokerInput(
                        decoded: mapped.decoded, excerpt: QuarantinedBytes(message.payload), source: mapped.source,
                        at: min(mapped.time ?? now, now),
                        recordedAfter: message.isRedelivered ? recordedAfter(mapped.time, at: now) : nil,
                        isOfThePast: message.hasWaited && mapped.time == nil))
            case .nothing: break
            case .unresolved where isFull(for: message):
                guard message.id != nil else {
                    return refuse(
                        "waiting", "more than \(MQTTLimits.inFlight) messages wait for a list of devices",
                        QuarantinedBytes(message.payload), at: now, &output)
                }
                // It is not acknowledged, so the next connection delivers it again.
                output.close = "it sends more than \(MQTTLimits.inFlight) unacknowledged messages"
                session.closed()
                return
            case .unresolved:
                waiting.append(Waiting(message: message, at: now, wall: wall))
                return
            case .announced(let topic):
                output.bytes += session.subscribe([MQTTRequest.Filter(topics: topic, wantsRetained: false)])
                release(at: now, isLate: false, &output, known) { $0.topic == topic }
            case .listed(let base):
                release(at: now, isLate: false, &output, known) { $0.topic.hasPrefix("\(base)/") }
            }
        } catch {
            refuse("unreadable", error.reason, QuarantinedBytes(message.payload), at: now, &output)
        }
        acknowledge(message.id, &output)
    }

    /// Whether as many messages wait as may: of those at QoS 1, which the broker limits itself, and of the others.
    private func isFull(for message: MQTTMessage) -> Bool {
        guard waiting.count >= MQTTLimits.inFlight else { return false }
        return waiting.count { ($0.message.id == nil) == (message.id == nil) } >= MQTTLimits.inFlight
    }

    /// Returns the earliest time at which a message that is sent again can have been recorded.
    ///
    /// Its acknowledgement was lost when the connection before this one ended, so it was recorded shortly before that.
    /// A report with the same values that is older is another one.
    private func recordedAfter(_ measured: Instant?, at now: Instant) -> Instant {
        let end = (receivedBefore ?? now).advanced(bySeconds: -MQTTLimits.acknowledgementSeconds)
        // A time in the future was recorded as the time of reception.
        guard let measured, measured <= now else { return end }
        return max(end, measured.advanced(bySeconds: -MQTTLimits.aheadSeconds))
    }

    /// Maps messages that have waited, in order of arrival.
    private mutating func release(
        at now: Instant, isLate: Bool, _ output: inout Output, _ known: (DeviceID) -> KnownValues?,
        where isDue: (MQTTMessage) -> Bool
    ) {
        let released = waiting.filter { isDue($0.message) }
        waiting.removeAll { isDue($0.message) }
        for one in released {
            take(one.message, at: min(one.at, now), wall: one.wall, isLate: isLate, &output, known)
        }
    }

    private mutating func refuse(
        _ label: String, _ reason: String, _ excerpt: QuarantinedBytes, at now: Instant, _ output: inout Output
    ) {
        output.refused[label, default: 0] += 1
        output.inputs.append(
            BrokerInput(
                decoded: DecodedInput(problem: Malformed(reason, at: 0)), excerpt: excerpt, source: settings.source,
                at: now))
    }

    private func acknowledge(_ id: UInt16?, _ output: inout Output) {
        if let id { output.bytes += MQTTRequest.acknowledge(id) }
    }
}
