import Radio
import Vocabulary

/// The queue of messages to a coordinator, which processes one request at a time.
///
/// A request waits until the one before it is responded to, or for two seconds.
struct RequestQueue {
    private var waiting: ArraySlice<ZNPMessage> = []
    private var outstanding: (response: UInt16, request: UInt16, at: Instant)?

    static let patienceSeconds = 2.0
    /// The most messages that wait; further ones are dropped, and sent again by those who miss a response.
    static let waitingMax = 256

    /// Adds messages; returns those that can be sent now.
    mutating func send(_ messages: [ZNPMessage], at now: Instant) -> [ZNPMessage] {
        waiting += messages.prefix(Self.waitingMax - waiting.count)
        if let sent = outstanding, now < sent.at || now.seconds(since: sent.at) >= Self.patienceSeconds {
            outstanding = nil
        }
        var due: [ZNPMessage] = []
        while outstanding == nil, let next = waiting.popFirst() {
            let frame = next.frame
            if frame.kind == .request { outstanding = (frame.responseCode, frame.code, now) }
            due.append(next)
        }
        return due
    }

    /// Takes note of a message of the coordinator that may be the response.
    mutating func receive(_ message: ZNPMessage) {
        switch message {
        case .refused(_, let request) where request == outstanding?.request: outstanding = nil
        case .system(.didReset): outstanding = nil
        case let message where message.frame.code == outstanding?.response: outstanding = nil
        default: break
        }
    }
}
