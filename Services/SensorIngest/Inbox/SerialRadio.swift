import Radio
import Vocabulary

/// One coordinator on a serial line: its frames, its start, and who its devices are.
///
/// `now` is the farm's time, which facts carry; `wall` is real time, which silence and patience are measured in.
struct SerialRadio {
    private var parser = UNPIParser()
    private var decoder = ZNPDecoder()
    private var coordinator = Coordinator()
    private var lastByte: Instant?
    /// When the noise that waits to be told began.
    private var noise: (at: Instant, wall: Instant)?
    /// Reports of devices that are being asked who they are.
    private var waiting: [Waiting] = []

    /// What one message told, or a spell of noise.
    struct Input {
        let heard: Heard
        let excerpt: Excerpt
        let at: Instant
    }

    private struct Waiting {
        let message: ZNPMessage
        let short: UInt16
        let excerpt: Excerpt
        let at: Instant
        let wall: Instant
    }

    /// Silence within a frame that means the rest is lost; also how long noise is gathered before it is told.
    static let gapSeconds = 1.0
    /// How long a report waits for the name of its device; then it is told under the short address.
    static let namelessSeconds = 5.0
    static let waitingAtMost = 128

    /// What the bytes told, and what to send to the coordinator.
    mutating func hear(_ bytes: [UInt8], at now: Instant, wall: Instant) -> (inputs: [Input], orders: [ZNPMessage]) {
        lastByte = wall
        return take(parser.feed(bytes), at: now, wall: wall)
    }

    /// What the time that went by told, and what to send by now: the next step of the start.
    mutating func tend(at now: Instant, wall: Instant) -> (inputs: [Input], orders: [ZNPMessage]) {
        var (inputs, orders): ([Input], [ZNPMessage]) = ([], [])
        if parser.isInsideFrame, let lastByte, Self.isPast(lastByte, Self.gapSeconds, wall) {
            (inputs, orders) = take(parser.reset(), at: now, wall: wall)
        }
        if let began = noise, Self.isPast(began.wall, Self.gapSeconds, wall) {
            let (bytes, count) = parser.takeNoise()
            let problem = Malformed("bytes that belong to no frame", at: 0)
            inputs.append(Input(heard: Heard(problem: problem), excerpt: Excerpt(bytes, length: count), at: began.at))
            noise = nil
        }
        inputs += release { Self.isPast($0.wall, Self.namelessSeconds, wall) }
        if let order = coordinator.due(at: wall) { orders.append(order) }
        return (inputs, orders)
    }

    private mutating func take(
        _ frames: [UNPIFrame], at now: Instant, wall: Instant
    ) -> (inputs: [Input], orders: [ZNPMessage]) {
        var inputs: [Input] = []
        var orders: [ZNPMessage] = []
        for frame in frames {
            let excerpt = Excerpt(frame.bytes)
            let message: ZNPMessage
            do {
                message = try ZNPMessage(frame)
            } catch {
                inputs.append(Input(heard: Heard(problem: error), excerpt: excerpt, at: now))
                continue
            }
            if let next = coordinator.hear(message, at: wall) { orders.append(next) }
            if let short = nameless(message) {
                if let question = coordinator.ask(who: short, at: wall) { orders.append(question) }
                if waiting.count < Self.waitingAtMost {
                    waiting.append(Waiting(message: message, short: short, excerpt: excerpt, at: now, wall: wall))
                    continue
                }
            }
            inputs.append(Input(heard: decoder.decode(message), excerpt: excerpt, at: now))
            inputs += release { [addresses = decoder.addresses] in addresses.ieee(of: $0.short) != nil }
        }
        if noise == nil, parser.hasNoise { noise = (now, wall) }
        return (inputs, orders)
    }

    /// The short address a report came from, if nobody knows yet whose it is.
    private func nameless(_ message: ZNPMessage) -> UInt16? {
        guard case .framework(.incoming(let incoming)) = message, case .short(let short) = incoming.source,
            decoder.addresses.ieee(of: short) == nil
        else { return nil }
        return short
    }

    /// Those of the waiting reports that need not wait any longer, in the order they came.
    private mutating func release(_ isOver: (Waiting) -> Bool) -> [Input] {
        guard waiting.contains(where: isOver) else { return [] }
        let released = waiting.filter(isOver)
        waiting.removeAll(where: isOver)
        return released.map { Input(heard: decoder.decode($0.message), excerpt: $0.excerpt, at: $0.at) }
    }

    private static func isPast(_ time: Instant, _ seconds: Double, _ now: Instant) -> Bool {
        now < time || now.seconds(since: time) > seconds
    }
}
