import Events
import Radio
import Vocabulary

/// One decoded message of a broker.
struct BrokerInput {
    var decoded: DecodedInput
    let excerpt: QuarantinedBytes
    let source: String
    let at: Instant
    /// Whether the broker has sent the message before; its report keeps the time of the first reception.
    var isRedelivered = false
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
    private let keys: [DeviceID: [UInt8]]
    /// Messages whose device is in no list yet. They are not acknowledged, so `MQTTLimits.inFlight` bounds them.
    private var waiting: [Waiting] = []
    private var counts = BrokerStatus()
    /// Why the connection ended last, until the next one is accepted.
    private var ending: String?

    init(_ settings: BrokerSettings, keys: [DeviceID: [UInt8]]) {
        self.settings = settings
        self.keys = keys
        session = MQTTSession(settings)
        mapper = MessageMapper(topics: settings.topics, keys: keys)
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

    /// Begins a new connection. What was not acknowledged is sent again.
    mutating func opened(at wall: Instant) -> Output {
        mapper = MessageMapper(topics: settings.topics, keys: keys)
        waiting = []
        return Output(bytes: session.opened(at: wall))
    }

    mutating func receive(
        _ bytes: [UInt8], at now: Instant, wall: Instant, known: (DeviceID) -> KnownValues?
    ) -> Output {
        let step = session.receive(bytes, at: wall)
        var output = Output(bytes: step.bytes, close: step.close)
        for packet in step.packets {
            counts.messages += 1
            counts.lastMessage = now
            switch packet {
            case .message(let message): take(message, at: now, wall: wall, &output, known)
            case .oversized(let topic, let id, let bytes):
                refuse(
                    "too-large", "a message of \(bytes) bytes; at most \(MQTTLimits.packetBytes) are read",
                    QuarantinedBytes(Array(topic.utf8), length: bytes), at: now, &output)
                acknowledge(id, &output)
            case .connected, .subscribed, .pong, .disconnected: break
            }
        }
        end(step.close, output)
        return output
    }

    /// Returns what is due by time: a ping, and messages that have waited for the list of devices long enough.
    mutating func tend(at now: Instant, wall: Instant, known: (DeviceID) -> KnownValues?) -> Output {
        let step = session.tend(at: wall)
        var output = Output(bytes: step.bytes, close: step.close)
        if let first = waiting.first, RadioInput.isPast(first.wall, MQTTLimits.unresolvedSeconds, wall) {
            release(at: now, isLate: true, &output, known) { _ in true }
        }
        end(step.close, output)
        return output
    }

    private mutating func end(_ close: String?, _ output: Output) {
        if session.connectedSince != nil { ending = nil }
        if let close { ending = close }
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
                        at: min(mapped.time ?? now, now), isRedelivered: message.isRedelivered && mapped.time == nil))
            case .nothing: break
            case .unresolved where waiting.count >= MQTTLimits.inFlight: break
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
