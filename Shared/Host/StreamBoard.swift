import HTTP

/// The open streams of server-sent events, by topic (WHATWG HTML, section 9.2).
struct StreamBoard {
    private struct Subscriber {
        let stream: HTTPStream
        let audience: String
        let topics: Set<String>
        var lastSent: Int64
    }

    private var subscribers: [Subscriber] = []

    func hasPlace(in audience: String) -> Bool {
        subscribers.count(where: { $0.audience == audience }) < HostLimits.streams
    }

    mutating func add(_ stream: HTTPStream, of audience: String, topics: [String], at monotonic: Int64) {
        _ = stream.send(Array("retry: 1000\n\n".utf8))
        subscribers.append(Subscriber(stream: stream, audience: audience, topics: Set(topics), lastSent: monotonic))
    }

    /// A reader too slow for its buffer is cut off: it comes back by itself and reads the state anew.
    mutating func publish(_ topic: String, name: String, data: [UInt8]) {
        let frame = Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
        for subscriber in subscribers where subscriber.topics.contains(topic) {
            if !subscriber.stream.send(frame) { subscriber.stream.close() }
        }
        sweep()
    }

    /// A comment now and then, so that proxies and browsers know the stream is alive.
    mutating func keepAlive(at monotonic: Int64) {
        let due = monotonic - Int64(HostLimits.keepAliveSeconds * 1_000_000)
        for index in subscribers.indices where subscribers[index].lastSent < due {
            subscribers[index].lastSent = monotonic
            if !subscribers[index].stream.send(Array(": here\n\n".utf8)) { subscribers[index].stream.close() }
        }
        sweep()
    }

    /// Ends the streams of a topic's subscribers.
    mutating func close(_ topic: String) {
        for subscriber in subscribers where subscriber.topics.contains(topic) { subscriber.stream.close() }
        sweep()
    }

    mutating func closeAll() {
        for subscriber in subscribers { subscriber.stream.close() }
        subscribers.removeAll()
    }

    private mutating func sweep() {
        subscribers.removeAll { !$0.stream.isOpen }
    }
}
