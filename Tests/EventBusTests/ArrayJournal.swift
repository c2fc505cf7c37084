import EventSourcing
import JSON
import Synchronization
import Testing
import Vocabulary
import Wire

/// An event whose payload is only its number.
struct Counted: Event {
    static let name = "farm.furrow.test.counted.v1"
    var number: Int

    init(number: Int) { self.number = number }
    init(json: borrowing JSONValue) throws(JSONError) { number = try json.get("number") }
    func write(fields json: inout JSONWriter) { json.field("number", number) }
}

/// A journal in an array that tests can damage; every entry is visible to all readers at once.
final class ArrayJournal: Sendable {
    struct State {
        var epoch: Epoch
        var start: [UInt8]
        var entries: [Entry] = []
        var isFailing = false
        /// Called once, right after the next read.
        var interruption: (@Sendable () -> Void)?
    }

    let origin: Origin
    private let state: Mutex<State>

    init(_ feed: String = "sensor-ingest/farm-0", epoch: UInt64 = 0xE1) throws {
        origin = try #require(Origin(feed))
        state = Mutex(State(epoch: Epoch(epoch), start: Chain.start(feed: feed, epoch: Epoch(epoch))))
        write(EpochBegan(previous: nil, keptTo: 0, keptHash: nil, why: "new"))
    }

    var feed: String { origin.description }
    var head: Head { state.withLock { Self.head(feed, $0) } }
    var entries: [Entry] { state.withLock(\.entries) }

    private static func head(_ feed: String, _ state: State) -> Head {
        let last = state.entries.last
        return Head(
            feed: feed, epoch: state.epoch, position: last?.position ?? 0, hash: last?.hash ?? state.start)
    }

    func write(_ event: any Event) {
        state.withLock { state in
            let head = Self.head(feed, state)
            let position = head.position + 1
            let now = Instant(microseconds: Int64(position))
            let envelope = Envelope(
                id: UUID.named("\(position)", in: .furrow), origin: origin, epoch: state.epoch, position: position,
                name: type(of: event).name, stream: "count/1", version: Int(position), time: now, recorded: now,
                farm: nil, actor: .service("test"), correlation: nil, causation: nil)
            let bytes = EnvelopeCodec.write(envelope, event)
            let hash = Chain.next(after: head.hash, bytes)
            state.entries.append(Entry(position: position, hash: hash, bytes: bytes))
        }
    }

    func write(count: Int) {
        for number in 0..<count { write(Counted(number: number)) }
    }

    /// Restores the journal: removes the entries after `kept` and begins another epoch there.
    func restore(keeping kept: Position, as epoch: UInt64) {
        let began = state.withLock { state in
            let previous = state.epoch
            state.entries.removeAll { $0.position > kept }
            state.epoch = Epoch(epoch)
            return EpochBegan(
                previous: previous, keptTo: kept, keptHash: (state.entries.last?.hash).map { Hex.encode($0) },
                why: "restored")
        }
        write(began)
    }

    /// Removes the entries after `kept` without a new epoch.
    func lose(behind kept: Position) {
        state.withLock { $0.entries.removeAll { $0.position > kept } }
    }

    /// Changes one byte of an event but not its hash.
    func damage(at position: Position) {
        state.withLock { state in
            for (index, entry) in state.entries.enumerated() where entry.position == position {
                var bytes = entry.bytes
                bytes[bytes.count / 2] ^= 1
                state.entries[index] = Entry(position: position, hash: entry.hash, bytes: bytes)
            }
        }
    }

    func remove(at position: Position) {
        state.withLock { $0.entries.removeAll { $0.position == position } }
    }

    func fail(_ isFailing: Bool) {
        state.withLock { $0.isFailing = isFailing }
    }

    func reader() -> any LogReader { Reader(journal: self) }

    /// Sets a closure that is called once, right after the next read.
    func interrupt(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.interruption = body }
    }

    private final class Reader: LogReader {
        let journal: ArrayJournal

        init(journal: ArrayJournal) { self.journal = journal }

        private func look<T>(_ body: (State) -> T) throws(LogFailure) -> T {
            let result = journal.state.withLock { $0.isFailing ? nil : body($0) }
            guard let result else { throw LogFailure(operation: "read", message: "the disk is gone") }
            return result
        }

        func head() throws(LogFailure) -> Head { try look { ArrayJournal.head(journal.feed, $0) } }

        func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
            defer {
                let interruption = journal.state.withLock { state in
                    defer { state.interruption = nil }
                    return state.interruption
                }
                interruption?()
            }
            return try look { state in
                let entries = state.entries.drop { $0.position < position }
                var sum = 0
                return Array(
                    entries.prefix(events).prefix { entry in
                        defer { sum += entry.bytes.count }
                        return sum < bytes
                    })
            }
        }

        func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
            try look { state in
                position == 0 ? state.start : state.entries.first { $0.position == position }?.hash
            }
        }

        func position(of id: UUID) throws(LogFailure) -> Position? { nil }
    }
}
