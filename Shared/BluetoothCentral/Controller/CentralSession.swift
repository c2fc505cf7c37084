import Radio

/// The state machine of a hub's controller: it resets it, scans, connects to the devices of profiles, and returns what
/// advertisements and notifications contain.
///
/// It does no input or output: callers pass the controller's bytes and the monotonic time in microseconds, and do what
/// the effects say. After `failed` the controller needs a new line and a new session.
package struct CentralSession: Sendable {
    /// What a caller has to do, in order.
    package enum Effect: Hashable, Sendable {
        /// Send bytes to the controller.
        case send([UInt8])
        case event(CentralEvent)
    }

    private let profiles: [GATTProfile]
    private var stream = HCIStream()
    private var commands = CommandQueue()
    private var packets = SendQueue()
    private var connections: [UInt16: PeripheralConnection] = [:]
    private var attempt: Attempt?
    private var attempts = ConnectionAttempts()
    private var hasStarted = false
    private var received: Int64 = 0
    private var effects: [Effect] = []

    /// The connection that the controller is asked for.
    private struct Attempt {
        let peer: Peripheral
        let profile: GATTProfile
        var deadline: Int64
        var isCancelled = false
    }

    package init(_ profiles: [GATTProfile]) {
        self.profiles = profiles
    }

    /// The devices that are set up.
    package var connected: [Peripheral] {
        connections.values.filter { $0.isReady && $0.closing == nil }.map(\.peer).sorted { $0.address < $1.address }
    }

    /// Returns what starts the controller.
    package mutating func begin(at now: Int64) -> [Effect] {
        for command in [
            .reset, .setEventMask, .readBufferSize, .readLowEnergyBufferSize, .setScanParameters, .setScan(true),
        ] as [HCICommand] { commands.add(command) }
        return settle(at: now)
    }

    /// Handles bytes of the controller.
    package mutating func receive(_ bytes: [UInt8], at now: Int64) -> [Effect] {
        received = now
        for packet in stream.feed(bytes) { handle(packet.bytes, at: now) }
        return settle(at: now)
    }

    /// Handles the passage of time; to be called about every second.
    package mutating func tick(at now: Int64) -> [Effect] {
        if stream.isInsidePacket, now - received > 1_000_000 {
            for packet in stream.reset() { handle(packet.bytes, at: now) }
        }
        if let deadline = commands.deadline, now >= deadline { fail("the controller does not respond") }
        if let attempt, now >= attempt.deadline {
            if attempt.isCancelled { fail("the controller does not end an attempt to connect") }
            self.attempt?.isCancelled = true
            self.attempt?.deadline = now + CentralLimits.commandMicroseconds
            commands.add(.cancelConnect)
        }
        for (handle, connection) in connections {
            if let closing = connection.closing {
                if now >= closing { fail("the controller does not end a connection") }
            } else if let deadline = connection.client.deadline, now >= deadline {
                close(handle, "the device does not respond", at: now)
            }
        }
        return settle(at: now)
    }

    /// Adds what the queues let through, and returns all effects.
    private mutating func settle(at now: Int64) -> [Effect] {
        while let command = commands.start(at: now) { effects.append(.send(command.bytes)) }
        effects += packets.take().map(Effect.send)
        defer { effects = [] }
        return effects
    }

    private mutating func fail(_ reason: String) { effects.append(.event(.failed(reason))) }

    private mutating func handle(_ packet: [UInt8], at now: Int64) {
        do throws(Malformed) {
            switch try HCIMessage(packet) {
            case .complete(let opcode, let status, let parameters):
                guard let command = commands.end(opcode) else { return }
                ended(command, status, parameters, at: now)
            case .status(let opcode, let status):
                guard let command = commands.end(opcode) else { return }
                if status != 0 { ended(command, status, [], at: now) }
            case .connected(let status, let handle, let peer): connected(status, handle, peer, at: now)
            case .disconnected(let status, let handle, let reason):
                if status == 0 { disconnected(handle, reason, at: now) }
            case .sent(let counts): packets.note(sent: counts)
            case .advertisements(let some):
                for advertisement in some {
                    effects.append(.event(.heard(advertisement)))
                    consider(advertisement, at: now)
                }
            case .hardwareError(let code): fail("the controller reports hardware error \(code)")
            case .data(let handle, let isStart, let part): take(part, isStart, handle, at: now)
            case .other: break
            }
        } catch {
            // A packet that cannot be read says nothing; what it should have ended runs into its deadline.
            return
        }
    }

    // MARK: Commands

    private mutating func ended(_ command: HCICommand, _ status: UInt8, _ parameters: [UInt8], at now: Int64) {
        switch command {
        case .reset, .setEventMask, .setScanParameters:
            if status != 0 { fail("the controller refuses command \(command.opcode) with error \(status)") }
        case .setScan(let isOn):
            guard status == 0 else { return fail("the controller cannot scan: error \(status)") }
            if isOn, !hasStarted { effects.append(.event(.started)) }
            hasStarted = true
        case .readBufferSize, .readLowEnergyBufferSize:
            guard status == 0 else { return }
            noteBuffers(parameters, isLowEnergy: command == .readLowEnergyBufferSize)
        case .connect: if status != 0 { attemptFailed(at: now) }
        // Fails if the connection was made just before; then it is announced, or its own deadline passes.
        case .cancelConnect: break
        case .disconnect(let handle): if status != 0 { disconnected(handle, status, at: now) }
        }
    }

    /// Notes the buffers for ACL packets. A controller without any for Low Energy alone shares those of all.
    private mutating func noteBuffers(_ parameters: [UInt8], isLowEnergy: Bool) {
        do throws(Malformed) {
            var reader = ByteReader(parameters)
            let size = Int(try reader.u16())
            if !isLowEnergy { try reader.skip(1) }
            let room = isLowEnergy ? Int(try reader.u8()) : Int(try reader.u16())
            if size > 0, room > 0 { packets.configure(size: size, room: room) }
        } catch { return }
    }

    // MARK: Connections

    /// Connects to the sender of an advertisement if a profile is for it.
    private mutating func consider(_ advertisement: Advertisement, at now: Int64) {
        guard let address = advertisement.address, hasStarted, attempt == nil,
            connections.count < CentralLimits.connections,
            !connections.values.contains(where: { $0.peer.address == address }),
            attempts.isAllowed(address, at: now)
        else { return }
        let peer = Peripheral(address: address, isRandomAddress: advertisement.isRandomAddress)
        let data = AdvertisingData(advertisement.data)
        guard let profile = profiles.first(where: { $0.fits(peer, data) }) else { return }
        attempt = Attempt(peer: peer, profile: profile, deadline: now + CentralLimits.connectMicroseconds)
        // Many controllers do not scan and connect at the same time.
        commands.add(.setScan(false))
        commands.add(.connect(peer))
    }

    private mutating func attemptFailed(at now: Int64) {
        guard let failed = attempt else { return }
        attempt = nil
        attempts.noteEnd(failed.peer.address, at: now)
        commands.add(.setScan(true))
    }

    private mutating func connected(_ status: UInt8, _ handle: UInt16, _ peer: Peripheral, at now: Int64) {
        guard status == 0 else { return attemptFailed(at: now) }
        guard let made = attempt, made.peer.address == peer.address, connections[handle] == nil else {
            return commands.add(.disconnect(handle))
        }
        attempt = nil
        commands.add(.setScan(true))
        var connection = PeripheralConnection(made.peer, made.profile)
        let first = connection.client.begin(at: now)
        connections[handle] = connection
        perform(first, handle, at: now)
    }

    private mutating func disconnected(_ handle: UInt16, _ reason: UInt8, at now: Int64) {
        packets.close(handle)
        guard let connection = connections.removeValue(forKey: handle) else { return }
        attempts.noteEnd(connection.peer.address, at: now)
        let why = connection.closing == nil ? "error \(reason)" : connection.reason
        effects.append(.event(.disconnected(connection.peer, reason: why)))
    }

    private mutating func close(_ handle: UInt16, _ reason: String, at now: Int64) {
        guard connections[handle]?.closing == nil else { return }
        connections[handle]?.closing = now + CentralLimits.commandMicroseconds * 2
        connections[handle]?.reason = reason
        commands.add(.disconnect(handle))
    }

    /// Handles a part of a message of a connected device.
    private mutating func take(_ part: [UInt8], _ isStart: Bool, _ handle: UInt16, at now: Int64) {
        guard var connection = connections[handle], connection.closing == nil else { return }
        do throws(Malformed) {
            let whole = try connection.frames.take(part, isStart: isStart)
            let steps =
                whole?.channel == LogicalChannel.attributes
                ? connection.client.receive(whole?.payload ?? [], at: now) : []
            connections[handle] = connection
            perform(steps, handle, at: now)
            if let whole, whole.channel == LogicalChannel.signalling,
                let response = LogicalChannel.signal(whole.payload)
            {
                send(response, on: LogicalChannel.signalling, handle, at: now)
            }
        } catch {
            close(handle, error.reason, at: now)
        }
    }

    private mutating func perform(_ steps: [GATTClient.Effect], _ handle: UInt16, at now: Int64) {
        for step in steps {
            guard let connection = connections[handle] else { return }
            switch step {
            case .send(let message): send(message, on: LogicalChannel.attributes, handle, at: now)
            case .value(let uuid, let value):
                let notified = NotifiedValue(
                    peer: connection.peer, characteristic: uuid, value: value, sensor: connection.profile.sensor,
                    interval: connection.profile.interval)
                effects.append(.event(.value(notified)))
            case .ready:
                connections[handle]?.isReady = true
                attempts.noteSuccess(connection.peer.address)
                effects.append(.event(.connected(connection.peer, profile: connection.profile.name)))
            case .failed(let reason): close(handle, reason, at: now)
            }
        }
    }

    private mutating func send(_ message: [UInt8], on channel: UInt16, _ handle: UInt16, at now: Int64) {
        let parts = LogicalChannel.packets(message, channel: channel, handle: handle, size: packets.size)
        if !packets.add(parts, handle: handle) { close(handle, "the controller sends nothing", at: now) }
    }
}
