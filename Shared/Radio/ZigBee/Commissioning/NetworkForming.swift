/// The requests by which a coordinator forms a new network, one after the other. Everything about an earlier network is
/// erased.
///
/// The settings are written before the network starts, so that its first message already uses the random key.
public struct NetworkForming: Sendable {
    /// What a message means for the current request.
    private enum Verdict { case other, done, failed(String) }

    private enum Step: Hashable, Sendable {
        /// A request of the memory; `optional` ones may be refused.
        case memory(MemoryMessage, isOptional: Bool)
        case reset
        case channel(isPrimary: Bool)
        case start
        case readRecord
        case readKey
    }

    public let settings: NetworkSettings
    private let isFirstGeneration: Bool
    private var steps: ArraySlice<Step>
    private var record: NetworkRecord?
    /// Why the network was not formed; nil while that is open.
    public private(set) var failure: String?
    private var tries = 0

    /// - Parameter product: The firmware's: 0 is Z-Stack 1.2, others are 3.
    public init(_ settings: NetworkSettings, product: UInt8) {
        self.settings = settings
        isFirstGeneration = product == 0
        steps = Self.steps(settings, isFirstGeneration: isFirstGeneration)[...]
    }

    private static func steps(_ settings: NetworkSettings, isFirstGeneration: Bool) -> [Step] {
        var steps = (MemoryItem.marksOfOthers + [MemoryItem.isOnNetwork]).map {
            Step.memory(.delete(item: $0, length: 1), isOptional: true)
        }
        func set(_ item: UInt16, _ value: [UInt8]) {
            steps.append(.memory(.create(item: item, length: UInt16(value.count), value: value), isOptional: true))
            steps.append(.memory(.write(item: item, offset: 0, value: value), isOptional: false))
        }
        set(MemoryItem.startupOption, [0x03])
        steps.append(.reset)
        var panID = ByteWriter()
        panID.u16(settings.panID)
        var extended = ByteWriter()
        extended.u64(settings.extendedPANID)
        var channels = ByteWriter()
        channels.u32(1 << UInt32(settings.channel))
        set(MemoryItem.deviceKind, [0])
        set(MemoryItem.panID, panID.bytes)
        set(MemoryItem.extendedPANID, extended.bytes)
        set(MemoryItem.usedExtendedPANID, extended.bytes)
        set(MemoryItem.channels, channels.bytes)
        set(MemoryItem.configuredKey, settings.key)
        set(MemoryItem.isKeyConfigured, [0])
        set(MemoryItem.passesDeviceObject, [1])
        if isFirstGeneration {
            // For all devices: the key that every ZigBee device knows, and two counters.
            let table = Array(repeating: 0xFF, count: 8) + Array("ZigBeeAlliance09".utf8)
            set(MemoryItem.joiningKey, table + Array(repeating: 0, count: 8))
        } else {
            steps += [.channel(isPrimary: true), .channel(isPrimary: false)]
        }
        return steps + [.start, .readRecord, .readKey]
    }

    /// The network, once it is formed and has the settings that were given.
    public var formed: NetworkRecord? { steps.isEmpty ? record : nil }

    /// The seconds after which the request is sent again.
    public var patience: Double {
        switch steps.first {
        case .start: 60
        case .reset: 10
        default: 3
        }
    }

    /// Returns the request to send now; nil if nothing is left to send. A request that is sent too often fails.
    public mutating func request() -> ZNPMessage? {
        guard failure == nil, let step = steps.first else { return nil }
        tries += 1
        guard tries <= 3 else {
            failure = "the coordinator does not respond while its network is formed"
            return nil
        }
        return message(of: step)
    }

    private func message(of step: Step) -> ZNPMessage {
        switch step {
        case .memory(let message, _): return .memory(message)
        case .reset: return .system(.reset(kind: 1))
        case .channel(let isPrimary):
            let mask = isPrimary ? UInt32(1) << UInt32(settings.channel) : 0
            return .deviceObject(.setChannels(isPrimary: isPrimary, mask: mask))
        case .start: return .deviceObject(isFirstGeneration ? .start(delay: 100) : .commission(mode: 4))
        case .readRecord: return .memory(.read(item: MemoryItem.network, offset: 0))
        case .readKey:
            return .memory(
                isFirstGeneration
                    ? .readSetting(item: UInt8(MemoryItem.activeKey)) : .read(item: MemoryItem.activeKey, offset: 0))
        }
    }

    /// Takes a message of the coordinator. Returns whether the next request can be sent.
    public mutating func receive(_ message: ZNPMessage) -> Bool {
        guard failure == nil, let step = steps.first else { return false }
        switch verdict(on: message, for: step) {
        case .other: return false
        case .done:
            steps.removeFirst()
            tries = 0
            return true
        case .failed(let reason):
            failure = reason
            return false
        }
    }

    private mutating func verdict(on message: ZNPMessage, for step: Step) -> Verdict {
        switch (step, message) {
        case (.memory(let request, let isOptional), .memory(let answer)):
            guard let status = Self.status(of: answer, to: request) else { return .other }
            return status == 0 || isOptional ? .done : .failed("the coordinator refuses to store its settings")
        case (.memory(_, isOptional: true), .refused): return .done
        case (.reset, .system(.didReset)): return .done
        case (.channel, .deviceObject(.channelsSet(let status))):
            return status == 0 ? .done : .failed("the coordinator refuses channel \(settings.channel)")
        case (.start, .deviceObject(.stateChanged(9))): return .done
        case (.start, .deviceObject(.started(status: 2))):
            return .failed("the coordinator did not start its network")
        case (.start, .deviceObject(.commissionProgress(status: 8, _, _))):
            return .failed("no network could be formed on channel \(settings.channel): there is too much interference")
        case (.readRecord, .memory(.value(_, let bytes))): return verdict(onRecord: bytes)
        case (.readKey, .memory(.value(let status, let bytes))),
            (.readKey, .memory(.setting(let status, _, let bytes))):
            let isOurs = status == 0 && bytes.count >= 17 && Array(bytes[1..<17]) == settings.key
            return isOurs ? .done : .failed("the network was formed, but not with the key that was given")
        case (_, .refused(_, let request)) where self.message(of: step).frame.code == request:
            return .failed("the coordinator's firmware does not know a command that forms a network")
        default: return .other
        }
    }

    private mutating func verdict(onRecord bytes: [UInt8]) -> Verdict {
        do throws(Malformed) {
            let read = try NetworkRecord(bytes)
            // The record is complete some seconds after the start; until then the request is repeated.
            guard read.isFormed else { return .other }
            record = read
            return .done
        } catch {
            return .other
        }
    }

    private static func status(of answer: MemoryMessage, to request: MemoryMessage) -> UInt8? {
        switch (request, answer) {
        case (.create, .created(let status)), (.write, .written(let status)), (.delete, .deleted(let status)): status
        default: nil
        }
    }
}
