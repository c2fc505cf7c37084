import HTTP

/// The open streams of server-sent events, by topic (WHATWG HTML, section 9.2).
struct SSEBroker {
    private struct Subscriber {
        let stream: HTTPStream
        let place: StreamPlace
        let topics: Set<String>
        var lastSent: Int64
    }

    private var subscribers: [Subscriber] = []
    /// The number of streams that were closed because their holder opened another one.
    private(set) var replaced = 0

    /// Why a new stream is refused.
    enum Refusal: Equatable {
        case audienceFull, holderFull
    }

    /// Makes room for a new stream, by closing the holder's oldest one if its rule allows that. Returns why the stream
    /// is refused, or nil.
    ///
    /// A client whose stream is closed is sent `replaced` first, so that it does not reconnect at once.
    mutating func makePlace(_ place: StreamPlace) -> Refusal? {
        sweep()
        let own = subscribers.filter { $0.place.holder == place.holder }
        if own.count >= place.holderMax {
            guard place.replacesOldest, let oldest = own.first else { return .holderFull }
            _ = oldest.stream.send(Array("event: replaced\ndata: {}\n\n".utf8))
            oldest.stream.close()
            replaced += 1
            sweep()
        }
        let count = subscribers.count(where: { $0.place.audience == place.audience })
        return count < place.audienceMax ? nil : .audienceFull
    }

    mutating func add(_ stream: HTTPStream, at place: StreamPlace, topics: [String], at monotonic: Int64) {
        _ = stream.send(Array("retry: 1000\n\n".utf8))
        subscribers.append(Subscriber(stream: stream, place: place, topics: Set(topics), lastSent: monotonic))
    }

    /// The number of open streams by audience.
    var counts: [String: Int] { subscribers.reduce(into: [:]) { $0[$1.place.audience, default: 0] += 1 } }

    /// Sends an event to the subscribers of a topic. A stream that is too slow for its buffer is closed; its client
    /// reconnects and reads the state again.
    mutating func publish(_ topic: String, name: String, data: [UInt8]) {
        let frame = Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
        for subscriber in subscribers where subscriber.topics.contains(topic) {
            if !subscriber.stream.send(frame) { subscriber.stream.close() }
        }
        sweep()
    }

    /// Sends a comment on idle streams, so that proxies and browsers do not close them.
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
