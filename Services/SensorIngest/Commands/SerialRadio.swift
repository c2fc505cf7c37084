import Radio
import Vocabulary

/// A ZigBee coordinator on a serial line: its frames, its start-up, and the addresses of its devices.
///
/// `now` is the site's time, which events carry. `wall` is wall-clock time, by which silence and timeouts are measured.
struct SerialRadio {
    private var parser = UNPIParser()
    private var decoder: ZNPDecoder
    private var coordinator: Coordinator
    private var lastByte: Instant?
    /// The time at which the noise that is not yet reported began.
    private var noise: (at: Instant, wall: Instant)?
    /// Reports that wait until their device's short address is resolved.
    private var waiting: [Waiting] = []

    private struct Waiting {
        let message: ZNPMessage
        let short: UInt16
        let excerpt: QuarantinedBytes
        let at: Instant
        let wall: Instant
    }

    /// Seconds that a report waits for its device's IEEE address; afterwards it is reported under the short address.
    static let unresolvedSeconds = 5.0
    static let waitingAtMost = 128

    /// - Parameter layouts: those of the farm's own nodes, besides the known ones.
    init(layouts: [Layout] = []) {
        decoder = ZNPDecoder(layouts: layouts)
        coordinator = Coordinator(layouts: layouts)
    }

    /// Applies the known make of a device to the decoding of its messages.
    mutating func learn(_ make: DeviceMakeRow) {
        decoder.devices.learn(maker: make.maker, model: make.model, of: DeviceID(make.key))
    }

    func trouble(at wall: Instant) -> String? { coordinator.trouble(at: wall) }

    /// Returns the inputs decoded from the bytes, and the messages to send to the coordinator.
    mutating func receive(_ bytes: [UInt8], at now: Instant, wall: Instant) -> (
        inputs: [RadioInput], orders: [ZNPMessage]
    ) {
        lastByte = wall
        return take(parser.feed(bytes), at: now, wall: wall)
    }

    /// Returns the inputs that are due by time, and the messages to send, such as the next step of the start.
    mutating func tend(at now: Instant, wall: Instant) -> (inputs: [RadioInput], orders: [ZNPMessage]) {
        var (inputs, orders): ([RadioInput], [ZNPMessage]) = ([], [])
        if parser.isInsideFrame, let lastByte, RadioInput.isPast(lastByte, RadioInput.gapSeconds, wall) {
            (inputs, orders) = take(parser.reset(), at: now, wall: wall)
        }
        if let began = noise, RadioInput.isPast(began.wall, RadioInput.gapSeconds, wall) { inputs += takeNoise() }
        inputs += release(at: now) { RadioInput.isPast($0.wall, Self.unresolvedSeconds, wall) }
        if let order = coordinator.due(at: wall) { orders.append(order) }
        return (inputs, orders)
    }

    /// Returns what is left when the line is gone; later bytes do not continue a frame that has begun.
    mutating func end(at now: Instant, wall: Instant) -> [RadioInput] {
        take(parser.reset(), at: now, wall: wall).inputs + takeNoise() + release(at: now) { _ in true }
    }

    private mutating func takeNoise() -> [RadioInput] {
        guard let began = noise else { return [] }
        noise = nil
        let (bytes, count) = parser.takeNoise()
        return [.noise(QuarantinedBytes(bytes, length: count), "frame", at: began.at)]
    }

    private mutating func take(
        _ frames: [UNPIFrame], at now: Instant, wall: Instant
    ) -> (inputs: [RadioInput], orders: [ZNPMessage]) {
        var inputs: [RadioInput] = []
        var orders: [ZNPMessage] = []
        for frame in frames {
            let excerpt = QuarantinedBytes(frame.bytes)
            let message: ZNPMessage
            do {
                message = try ZNPMessage(frame)
            } catch {
                inputs.append(RadioInput(decoded: DecodedInput(problem: error), excerpt: excerpt, at: now))
                continue
            }
            if let next = coordinator.receive(message, at: wall) { orders.append(next) }
            if let short = unresolvedAddress(message) {
                if let question = coordinator.ask(who: short, at: wall) { orders.append(question) }
                if waiting.count < Self.waitingAtMost {
                    waiting.append(Waiting(message: message, short: short, excerpt: excerpt, at: now, wall: wall))
                    continue
                }
            }
            inputs.append(RadioInput(decoded: decoder.decode(message), excerpt: excerpt, at: now))
            inputs += release(at: now) { [addresses = decoder.addresses] in addresses.ieee(of: $0.short) != nil }
        }
        if noise == nil, parser.hasNoise { noise = (now, wall) }
        return (inputs, orders)
    }

    /// Returns the short address of a report if its IEEE address is not known.
    private func unresolvedAddress(_ message: ZNPMessage) -> UInt16? {
        guard case .framework(.incoming(let incoming)) = message, case .short(let short) = incoming.source,
            decoder.addresses.ieee(of: short) == nil
        else { return nil }
        return short
    }

    /// Returns the waiting reports that need not wait any longer, in order of arrival.
    ///
    /// None has a time later than now, even if the clock was set back meanwhile.
    private mutating func release(at now: Instant, _ isOver: (Waiting) -> Bool) -> [RadioInput] {
        guard waiting.contains(where: isOver) else { return [] }
        let released = waiting.filter(isOver)
        waiting.removeAll(where: isOver)
        return released.map {
            RadioInput(decoded: decoder.decode($0.message), excerpt: $0.excerpt, at: min($0.at, now))
        }
    }
}
