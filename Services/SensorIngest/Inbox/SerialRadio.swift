import Radio
import Vocabulary

/// One coordinator on a serial line: its frames, its start, and who its devices are.
struct SerialRadio {
    private var parser = UNPIParser()
    private var decoder = ZNPDecoder()
    private var coordinator = Coordinator()
    private var lastByte: Instant?

    /// Silence within a frame that means the rest is lost.
    static let gapSeconds = 1.0

    /// What the bytes told, and what to send to the coordinator.
    mutating func hear(_ bytes: [UInt8], at now: Instant) -> (heard: Heard, orders: [ZNPMessage]) {
        var heard = Heard()
        var orders: [ZNPMessage] = []
        lastByte = now
        for frame in parser.feed(bytes) { take(frame, at: now, &heard, &orders) }
        return (heard, orders)
    }

    /// What to send by now: the next step of the start.
    mutating func tend(at now: Instant) -> ZNPMessage? {
        if parser.isInsideFrame, let lastByte, now.seconds(since: lastByte) > Self.gapSeconds { _ = parser.reset() }
        return coordinator.due(at: now)
    }

    private mutating func take(_ frame: UNPIFrame, at now: Instant, _ heard: inout Heard, _ orders: inout [ZNPMessage]) {
        let message: ZNPMessage
        do {
            message = try ZNPMessage(frame)
        } catch {
            heard.problems.append(error)
            return
        }
        if let next = coordinator.hear(message, at: now) { orders.append(next) }
        if case .framework(.incoming(let incoming)) = message, case .short(let short) = incoming.source,
            decoder.addresses.ieee(of: short) == nil, let question = coordinator.ask(who: short, at: now)
        {
            orders.append(question)
        }
        heard.append(decoder.decode(message))
    }
}
