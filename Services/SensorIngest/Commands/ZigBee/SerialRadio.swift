import Radio
import Vocabulary

/// A ZigBee coordinator on a serial line: its frames, its start-up, and the addresses and interviews of its devices.
///
/// `now` is the site's time, which events carry. `wall` is wall-clock time, by which silence and timeouts are measured.
struct SerialRadio {
    private var parser = UNPIParser()
    private var decoder: ZNPDecoder
    private(set) var coordinator: Coordinator
    private var queue = RequestQueue()
    private var devices = JoiningDevices()
    /// The devices that were recorded as joined.
    private var recorded: Set<UInt64> = []
    /// The wall-clock time until which devices may join; nil if they may not.
    private(set) var openUntil: Instant?
    private var wasSilent = false
    /// Seconds that the farm's clocks are ahead of UTC, for devices that show the time.
    var zoneOffset = 0
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

    /// Takes a device that was recorded as joined before.
    mutating func learn(_ device: ZigBeeDeviceRow) {
        guard let ieee = device.ieee else { return }
        recorded.insert(ieee)
        decoder.addresses.learn(short: device.short, ieee: ieee)
        devices.learn(ieee, isInterviewed: device.interviewed != nil, isLeaving: device.isRemoved)
    }

    func trouble(at wall: Instant) -> String? { coordinator.trouble(at: wall) }

    /// Permits devices to join for so many seconds, at most 254; 0 ends that. Returns the messages to send.
    mutating func permitJoining(seconds: UInt8, at wall: Instant) -> [ZNPMessage] {
        openUntil = seconds == 0 ? nil : wall.advanced(bySeconds: Double(seconds))
        return queue.send(
            [
                .deviceObject(.permitJoin(mode: 0x02, destination: 0, seconds: seconds, significance: 1)),
                .deviceObject(.permitJoin(mode: 0x0F, destination: 0xFFFC, seconds: seconds, significance: 0)),
            ], at: wall)
    }

    /// Begins to form a new network.
    mutating func form(_ settings: NetworkSettings, at wall: Instant) -> [ZNPMessage] {
        openUntil = nil
        return queue.send(coordinator.form(settings, at: wall).map { [$0] } ?? [], at: wall)
    }

    /// Begins to restore the network of a backup.
    mutating func restore(_ backup: CoordinatorBackup, random: [UInt8], at wall: Instant) -> [ZNPMessage] {
        openUntil = nil
        return queue.send(coordinator.restore(backup, random: random, at: wall).map { [$0] } ?? [], at: wall)
    }

    /// Begins to read a backup of the coordinator.
    mutating func readBackup(at wall: Instant) -> [ZNPMessage] {
        queue.send(coordinator.readBackup(at: wall).map { [$0] } ?? [], at: wall)
    }

    /// Requests that a device leaves the network, now and whenever it sends something.
    mutating func remove(_ ieee: UInt64, at wall: Instant) -> [ZNPMessage] {
        devices.remove(ieee)
        return queue.send(tendDevices(at: wall).orders, at: wall)
    }

    private mutating func tendDevices(at wall: Instant) -> (orders: [ZNPMessage], changes: [NetworkChange]) {
        guard coordinator.phase == .running else { return ([], []) }
        let due = devices.due(at: wall) { [addresses = decoder.addresses] in addresses.short(of: $0) }
        for case .interviewed(let ieee, _) in due.changes { recorded.insert(ieee) }
        return due
    }

    mutating func receive(_ bytes: [UInt8], at now: Instant, wall: Instant) -> RadioOutput {
        lastByte = wall
        return take(parser.feed(bytes), at: now, wall: wall)
    }

    /// Returns what is due by time, such as the next step of the start.
    mutating func tend(at now: Instant, wall: Instant) -> RadioOutput {
        var output = RadioOutput()
        if parser.isInsideFrame, let lastByte, RadioInput.isPast(lastByte, RadioInput.gapSeconds, wall) {
            output = take(parser.reset(), at: now, wall: wall)
        }
        if let began = noise, RadioInput.isPast(began.wall, RadioInput.gapSeconds, wall) {
            output.inputs += takeNoise()
        }
        output.inputs += release(at: now) { RadioInput.isPast($0.wall, Self.unresolvedSeconds, wall) }
        if let openUntil, wall >= openUntil { self.openUntil = nil }
        let isSilent = coordinator.isSilent(at: wall)
        output.isLost = isSilent && !wasSilent
        wasSilent = isSilent
        let (orders, changes) = tendDevices(at: wall)
        output.changes += changes
        output.orders += queue.send((coordinator.due(at: wall).map { [$0] } ?? []) + orders, at: wall)
        return output
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

    private mutating func take(_ frames: [UNPIFrame], at now: Instant, wall: Instant) -> RadioOutput {
        var output = RadioOutput()
        var orders: [ZNPMessage] = []
        for frame in frames {
            let excerpt = QuarantinedBytes(frame.bytes)
            let message: ZNPMessage
            do {
                message = try ZNPMessage(frame)
            } catch {
                output.inputs.append(RadioInput(decoded: DecodedInput(problem: error), excerpt: excerpt, at: now))
                continue
            }
            queue.receive(message)
            if let next = coordinator.receive(message, at: wall) { orders.append(next) }
            if let network = coordinator.takeFormed() {
                devices.clear()
                recorded = []
                output.changes.append(.formed(network))
            }
            if let short = unresolvedAddress(message) {
                if let question = coordinator.ask(who: short, at: wall) { orders.append(question) }
                if waiting.count < Self.waitingAtMost {
                    waiting.append(Waiting(message: message, short: short, excerpt: excerpt, at: now, wall: wall))
                    continue
                }
            }
            output.inputs.append(RadioInput(decoded: decoder.decode(message), excerpt: excerpt, at: now))
            output.changes += note(message)
            if case .framework(.incoming(let incoming)) = message, let reply = reply(to: incoming, at: now) {
                orders.append(.framework(.sendExtended(reply)))
            }
            output.inputs += release(at: now) { [addresses = decoder.addresses] in
                addresses.ieee(of: $0.short) != nil
            }
        }
        if noise == nil, parser.hasNoise { noise = (now, wall) }
        let (due, changes) = tendDevices(at: wall)
        output.changes += changes
        output.orders = queue.send(orders + due, at: wall)
        return output
    }

    /// Takes note of what a message says about devices.
    private mutating func note(_ message: ZNPMessage) -> [NetworkChange] {
        switch message {
        case .system(.didReset): openUntil = nil
        case .deviceObject(.announced(_, let short, let ieee, _)): return announced(ieee, short)
        case .deviceObject(.overheard(let object)): return note(object)
        case .deviceObject(.left(_, let ieee, _, _, rejoins: false)):
            devices.left(ieee)
            return recorded.remove(ieee) == nil ? [] : [.left(ieee: ieee)]
        case .framework(.incoming(let message)): note(message)
        default: break
        }
        return []
    }

    private mutating func note(_ message: DeviceObjectMessage.ObjectMessage) -> [NetworkChange] {
        if message.cluster == 0x0013, let pair = DeviceObjectMessage.overheard(message).addresses {
            return announced(pair.ieee, pair.short)
        }
        guard let ieee = decoder.addresses.ieee(of: message.source) else { return [] }
        do throws(Malformed) {
            if let response = try DeviceResponse(cluster: message.cluster, data: message.data) {
                devices.receive(response, transaction: message.transaction, from: ieee)
            }
        } catch {
            // A response cut short is none; its request is sent again.
        }
        return []
    }

    private mutating func announced(_ ieee: UInt64, _ short: UInt16) -> [NetworkChange] {
        guard let coordinator = coordinator.ieee, ieee != coordinator, short < 0xFFF8 else { return [] }
        let isBack = devices.announced(ieee, short: short, isInvited: openUntil != nil, coordinator: coordinator)
        guard openUntil != nil, recorded.insert(ieee).inserted || isBack else { return [] }
        return [.joined(ieee: ieee, short: short)]
    }

    private mutating func note(_ message: IncomingMessage) {
        guard let (ieee, short) = sender(of: message), let coordinator = coordinator.ieee else { return }
        devices.heard(ieee, short: short, isRecorded: recorded.contains(ieee), coordinator: coordinator)
        guard let frame = frame(of: message) else { return }
        devices.receive(frame, cluster: message.cluster, endpoint: message.sourceEndpoint, from: ieee)
    }

    private func sender(of message: IncomingMessage) -> (ieee: UInt64, short: UInt16)? {
        switch message.source {
        case .short(let short): decoder.addresses.ieee(of: short).map { ($0, short) }
        case .ieee(let ieee): decoder.addresses.short(of: ieee).map { (ieee, $0) }
        }
    }

    /// Returns the message as a frame of the cluster library; nil if the farm's own layouts are spoken there.
    private func frame(of message: IncomingMessage) -> ZCLFrame? {
        guard decoder.profiles[message.destinationEndpoint] == 0x0104 else { return nil }
        do throws(Malformed) {
            return try ZCLFrame(message.data)
        } catch {
            return nil
        }
    }

    /// Returns the reply that a device expects; a message to many expects none.
    private func reply(to message: IncomingMessage, at now: Instant) -> FrameworkMessage.OutgoingMessage? {
        guard coordinator.phase == .running, !message.wasBroadcast, message.group == 0,
            let (_, short) = sender(of: message), let frame = frame(of: message)
        else { return nil }
        let seconds = now.microseconds / 1_000_000
        guard
            let reply = ZCLReply.reply(
                to: frame, cluster: message.cluster, utc: UInt32(clamping: seconds),
                local: UInt32(clamping: seconds + Int64(zoneOffset)))
        else { return nil }
        return .init(
            destination: short, destinationEndpoint: message.sourceEndpoint,
            sourceEndpoint: message.destinationEndpoint, cluster: message.cluster, transaction: frame.transaction,
            data: reply.bytes)
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
