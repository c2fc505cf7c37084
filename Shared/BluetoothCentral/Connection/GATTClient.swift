import Radio

/// The state machine of one connection: it finds the characteristics of a profile, switches their notifications on,
/// writes what the profile wants, and returns the values that follow (Bluetooth Core, volume 3, parts F and G).
///
/// One request is unanswered at a time, as the Attribute Protocol demands.
struct GATTClient: Sendable {
    /// What a caller has to do next.
    enum Effect: Hashable, Sendable {
        /// Send a message on the attribute channel.
        case send([UInt8])
        /// Report a value of a characteristic.
        case value(uuid: String, [UInt8])
        /// Everything is set up.
        case ready
        /// Disconnect: the device does not do what the profile says.
        case failed(String)
    }

    private enum Stage: Hashable {
        case mtu, services, characteristics, descriptors, writes, ready, failed
    }

    private let profile: GATTProfile
    private var stage = Stage.mtu
    /// The first handle that the current search has not covered, and the last one that it covers.
    private var next = 1
    private var last = 0xFFFF
    private var found: [FoundService] = []
    /// The services of the profile that are still searched for characteristics, and what they have.
    private var unsearched: [(FoundService, GATTProfile.Service)] = []
    private var characteristics: [FoundCharacteristic] = []
    /// The characteristics whose notifications are still to be found, with the last handle that may be theirs.
    private var notified: [(FoundCharacteristic, last: UInt16)] = []
    private var writes: [(handle: UInt16, value: [UInt8])] = []
    private var values: [(handle: UInt16, uuid: String)] = []
    /// The moment by which the response to the last request must have come, in monotonic microseconds.
    private(set) var deadline: Int64?

    init(_ profile: GATTProfile) {
        self.profile = profile
    }

    /// Returns the first request of a connection.
    mutating func begin(at now: Int64) -> [Effect] { [request(.exchangeMTU(247), at: now)] }

    /// Handles a message of the device and returns what follows from it.
    mutating func receive(_ bytes: [UInt8], at now: Int64) -> [Effect] {
        guard stage != .failed else { return [] }
        let message: AttributeMessage
        do throws(Malformed) {
            message = try AttributeMessage(bytes)
        } catch {
            return [failure("a message cannot be read: \(error.reason)")]
        }
        switch message {
        case .value(let handle, let value, let needsConfirmation):
            let confirmation = needsConfirmation ? [Effect.send(AttributeRequest.confirm.bytes)] : []
            return confirmation + values.filter { $0.handle == handle }.map { .value(uuid: $0.uuid, value) }
        case .request(let code):
            // The device gets the smallest MTU; the hub itself has no attributes ("request not supported").
            return [.send(code == 0x02 ? [0x03, 23, 0] : [0x01, code, 0, 0, 0x06])]
        case .mtu where stage == .mtu: return search(.services, 1...0xFFFF, at: now)
        case .services(let services) where stage == .services: return take(services, at: now)
        case .characteristics(let some) where stage == .characteristics: return take(some, at: now)
        case .information(let some) where stage == .descriptors: return take(some, at: now)
        case .written where stage == .writes:
            if !writes.isEmpty { writes.removeFirst() }
            return write(at: now)
        case .failed(let code, let error): return refused(code, error, at: now)
        // The response to no request, such as one that came twice.
        case .mtu, .services, .characteristics, .information, .written, .other: return []
        }
    }

    private mutating func refused(_ code: UInt8, _ error: AttributeError, at now: Int64) -> [Effect] {
        switch (stage, code) {
        // A device without a larger MTU has the smallest.
        case (.mtu, 0x02): return search(.services, 1...0xFFFF, at: now)
        case (.services, 0x10) where error.isNotFound: return chooseServices(at: now)
        case (.characteristics, 0x08) where error.isNotFound: return chooseCharacteristics(at: now)
        case (.descriptors, 0x04) where error.isNotFound: return [failure("a characteristic cannot be switched on")]
        case (.services, 0x10), (.characteristics, 0x08), (.descriptors, 0x04), (.writes, 0x12):
            return [failure("\(error)")]
        default: return []
        }
    }

    // MARK: Searches

    private mutating func search(_ stage: Stage, _ range: ClosedRange<Int>, at now: Int64) -> [Effect] {
        self.stage = stage
        (next, last) = (range.lowerBound, range.upperBound)
        return [searchOn(at: now)]
    }

    /// Asks for the rest of the range. Callers check that there is one.
    private mutating func searchOn(at now: Int64) -> Effect {
        let rest = UInt16(clamping: next)...UInt16(clamping: max(next, last))
        switch stage {
        case .services: return request(.readServices(rest), at: now)
        case .characteristics: return request(.readCharacteristics(rest), at: now)
        default: return request(.findInformation(rest), at: now)
        }
    }

    /// Moves the search behind a handle. Returns false if it would not move on, as in a loop of a broken device.
    private mutating func advance(behind handle: UInt16?) -> Bool {
        guard let handle, Int(handle) >= next else { return false }
        next = Int(handle) + 1
        return true
    }

    private mutating func take(_ services: [FoundService], at now: Int64) -> [Effect] {
        found += services
        guard advance(behind: services.last?.handles.upperBound), found.count <= CentralLimits.attributes else {
            return [failure("its list of services has no end")]
        }
        return next > last ? chooseServices(at: now) : [searchOn(at: now)]
    }

    private mutating func chooseServices(at now: Int64) -> [Effect] {
        for wanted in profile.services {
            guard let service = found.first(where: { $0.uuid == wanted.uuid }) else {
                return [failure("it has no service \(wanted.uuid)")]
            }
            unsearched.append((service, wanted))
        }
        found = []
        return searchService(at: now)
    }

    private mutating func searchService(at now: Int64) -> [Effect] {
        guard let (service, _) = unsearched.first else { return switchOn(at: now) }
        characteristics = []
        return search(.characteristics, Int(service.handles.lowerBound)...Int(service.handles.upperBound), at: now)
    }

    private mutating func take(_ some: [FoundCharacteristic], at now: Int64) -> [Effect] {
        characteristics += some
        guard advance(behind: some.last?.declaration), characteristics.count <= CentralLimits.attributes else {
            return [failure("its list of characteristics has no end")]
        }
        return next > last ? chooseCharacteristics(at: now) : [searchOn(at: now)]
    }

    private mutating func chooseCharacteristics(at now: Int64) -> [Effect] {
        guard let (service, wanted) = unsearched.first else { return [] }
        for uuid in wanted.notified {
            guard let one = characteristics.first(where: { $0.uuid == uuid }), one.notifies || one.indicates else {
                return [failure("it has no characteristic \(uuid) that notifies")]
            }
            let following = characteristics.map(\.declaration).filter { $0 > one.value }.min()
            notified.append((one, last: following.map { $0 - 1 } ?? service.handles.upperBound))
            values.append((one.value, uuid))
        }
        for write in wanted.writes {
            guard let one = characteristics.first(where: { $0.uuid == write.uuid }) else {
                return [failure("it has no characteristic \(write.uuid)")]
            }
            writes.append((one.value, write.value))
        }
        unsearched.removeFirst()
        return searchService(at: now)
    }

    // MARK: Set-up

    /// Searches the next configuration of a characteristic; without one left, writes.
    private mutating func switchOn(at now: Int64) -> [Effect] {
        guard let (one, last) = notified.first else {
            stage = .writes
            return write(at: now)
        }
        guard one.value < last else { return [failure("a characteristic cannot be switched on")] }
        return search(.descriptors, Int(one.value) + 1...Int(last), at: now)
    }

    private mutating func take(_ some: [AttributeMessage.Descriptor], at now: Int64) -> [Effect] {
        guard let (one, _) = notified.first else { return [] }
        if let configuration = some.first(where: { $0.uuid == Self.configuration }) {
            notified.removeFirst()
            // Notifications are switched on before the sensor is, so that its first value is reported.
            writes.insert((configuration.handle, one.notifies ? [1, 0] : [2, 0]), at: 0)
            return switchOn(at: now)
        }
        guard advance(behind: some.last?.handle), next <= last else {
            return [failure("a characteristic cannot be switched on")]
        }
        return [searchOn(at: now)]
    }

    /// Client Characteristic Configuration (Bluetooth Core, volume 3, part G, 3.3.3.3).
    private static let configuration = "00002902-0000-1000-8000-00805f9b34fb"

    private mutating func write(at now: Int64) -> [Effect] {
        guard let (handle, value) = writes.first else {
            (stage, deadline) = (.ready, nil)
            return [.ready]
        }
        return [request(.write(handle, value), at: now)]
    }

    private mutating func request(_ request: AttributeRequest, at now: Int64) -> Effect {
        deadline = now + CentralLimits.transactionMicroseconds
        return .send(request.bytes)
    }

    private mutating func failure(_ reason: String) -> Effect {
        (stage, deadline) = (.failed, nil)
        return .failed(reason)
    }
}
