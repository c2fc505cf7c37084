/// The requests by which a coordinator gets the network of a backup, one after the other.
///
/// A network of random settings is formed first, so that every place of the memory exists and no neighbour's number is
/// avoided. Then its places are overwritten, and the coordinator is reset.
public struct NetworkRestoring: Sendable {
    private enum Step {
        case forming(NetworkForming)
        case reading(MemoryReading)
        case writing(MemoryWriting)
        case resetting
        case done
    }

    private let backup: CoordinatorBackup
    private let product: UInt8
    private let random: [UInt8]
    private var step: Step
    private var resets = 0
    /// Why the network was not restored; nil while that is open.
    public private(set) var failure: String?

    /// - Parameter random: `NetworkSettings.randomBytes` bytes that are not derived from anything.
    public init(_ backup: CoordinatorBackup, product: UInt8, random: [UInt8]) {
        self.backup = backup
        self.product = product
        self.random = Array(random.prefix(16))
        step = .forming(NetworkForming(NetworkSettings(channel: backup.channel, random: random), product: product))
    }

    public var isDone: Bool { if case .done = step { true } else { false } }

    /// The seconds after which the request is sent again.
    public var patience: Double {
        switch step {
        case .forming(let forming): forming.patience
        case .resetting: 10
        case .reading, .writing, .done: 3
        }
    }

    public mutating func request() -> ZNPMessage? {
        guard failure == nil else { return nil }
        var message: ZNPMessage?
        switch step {
        case .forming(var forming):
            message = forming.request()
            (step, failure) = (.forming(forming), forming.failure)
        case .reading(var reading):
            message = reading.request()
            (step, failure) = (.reading(reading), reading.failure)
        case .writing(var writing):
            message = writing.request()
            (step, failure) = (.writing(writing), writing.failure)
        case .resetting:
            resets += 1
            if resets > 3 { failure = "the coordinator does not start again with the network" }
            message = .system(.reset(kind: 1))
        case .done: break
        }
        return failure == nil ? message : nil
    }

    /// Takes a message of the coordinator. Returns whether the next request can be sent.
    public mutating func receive(_ message: ZNPMessage) -> Bool {
        guard failure == nil else { return false }
        var isAnswer = false
        switch step {
        case .forming(var forming):
            isAnswer = forming.receive(message)
            (step, failure) = (.forming(forming), forming.failure)
            if forming.formed != nil { step = .reading(MemoryReading(CoordinatorMemory.wishes(product: product))) }
        case .reading(var reading):
            isAnswer = reading.receive(message)
            (step, failure) = (.reading(reading), reading.failure)
            if reading.isDone { write(over: reading.contents) }
        case .writing(var writing):
            isAnswer = writing.receive(message)
            (step, failure) = (.writing(writing), writing.failure)
            if writing.isDone { step = .resetting }
        case .resetting:
            guard case .system(.didReset) = message else { return false }
            step = .done
            return true
        case .done: break
        }
        return failure == nil && isAnswer
    }

    private mutating func write(over contents: [MemoryPlace: [UInt8]]) {
        do throws(Malformed) {
            let memory = CoordinatorMemory(product: product, contents: contents)
            step = .writing(MemoryWriting(try memory.contents(for: backup, random: random)))
        } catch {
            failure = error.reason
        }
    }
}

/// The backup of a coordinator, which is read from its memory.
public struct NetworkReading: Sendable {
    private let product: UInt8
    private var reading: MemoryReading
    /// The backup, once everything is read.
    public private(set) var backup: CoordinatorBackup?
    /// Why there is none; nil while that is open.
    public private(set) var failure: String?

    public init(product: UInt8) {
        self.product = product
        reading = MemoryReading(CoordinatorMemory.wishes(product: product))
    }

    public mutating func request() -> ZNPMessage? {
        let message = reading.request()
        failure = failure ?? reading.failure
        return failure == nil ? message : nil
    }

    /// Takes a message of the coordinator. Returns whether the next request can be sent.
    public mutating func receive(_ message: ZNPMessage) -> Bool {
        let isAnswer = reading.receive(message)
        failure = failure ?? reading.failure
        guard reading.isDone, backup == nil, failure == nil else { return isAnswer && failure == nil }
        do throws(Malformed) {
            backup = try CoordinatorMemory(product: product, contents: reading.contents).backup()
        } catch {
            failure = error.reason
        }
        return isAnswer && failure == nil
    }
}
