import EventSourcing
import EventStore
import Events
import Vocabulary

@testable import Host

/// A followed journal of which some events cannot be read by any build.
struct Foreign {
    let head: Head
    let entries: [Entry]

    /// Reports of five devices, about one in twelve unreadable.
    init(_ feed: String, at now: Instant, reports: Int, chance: (Int) -> Int) throws {
        let drafts = (1...reports).map { CountingService.report("ble:0\($0 % 5)", $0) }
        try self.init(feed, at: now, drafts) { _ in chance(12) == 0 }
    }

    /// Two reports of each device, the first unreadable.
    init(_ feed: String, at now: Instant, streams: Int) throws {
        let drafts = (0..<streams * 2).map { CountingService.report("ble:\($0 / 2)", $0) }
        try self.init(feed, at: now, drafts) { $0.isMultiple(of: 2) }
    }

    private init(_ feed: String, at now: Instant, _ drafts: [Draft], poisoned: (Position) -> Bool) throws {
        let log = try MemoryLog(feed: feed, why: "test", at: now)
        for draft in drafts { _ = try log.stage(Commit([draft]), at: now) }
        try log.commit()
        head = log.head
        entries = try log.reader().entries(from: 1, through: head.position).map { entry in
            guard entry.position > 1, poisoned(entry.position) else { return entry }
            let text = String(decoding: entry.bytes, as: UTF8.self)
            let bytes = Array(text.replacing("sensors.measured.v1", with: "sensors.guessed.v1").utf8)
            return Entry(position: entry.position, hash: entry.hash, bytes: bytes)
        }
    }

    /// Returns nil for an event that cannot be read.
    static func recorded(_ entry: Entry) -> RecordedEvent? {
        do { return try RecordedEvent(reading: entry.bytes) } catch { return nil }
    }

    func entries(after: Checkpoint?, through last: Position) -> [Entry] {
        entries.filter { $0.position > after?.position ?? 0 && $0.position <= last }
    }
}

/// Pseudorandom numbers, the same for the same seed.
struct SeededNumbers {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(seed) }

    mutating func callAsFunction(_ range: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % range
    }
}

/// What a journal records as applied, skipped and retried of its foreign events, computed without tables.
struct Account {
    /// Events that were applied although an earlier event of their stream was not.
    private(set) var overtaken: [String] = []
    /// The events that are not applied at the end, as `<feed> <position>`.
    private(set) var open: Set<String> = []
    private(set) var retried = 0
    private(set) var skipped = 0
    private(set) var released = 0
    private(set) var again = 0
    private var waiting: [String: Set<Position>] = [:]

    init(of runtime: ServiceRuntime<CountingService>, _ others: [String: Foreign]) throws {
        var reached: [String: Position] = [:]
        for entry in try runtime.log.reader().entries(from: 1, through: runtime.log.head.position) {
            let recorded = try RecordedEvent(reading: entry.bytes)
            switch recorded.fact {
            case .journal(.feedConsumed(let checkpointEvent)):
                let left = Set(checkpointEvent.parked.map(\.position))
                for heard in others[checkpointEvent.feed]?.entries ?? []
                where heard.position > reached[checkpointEvent.feed] ?? 0 && heard.position <= checkpointEvent.last
                    && heard.position > 1
                {
                    try note(heard, of: checkpointEvent.feed, isApplied: !left.contains(heard.position))
                }
                reached[checkpointEvent.feed] = checkpointEvent.last
            case .journal(.parkedResolved(let resolved)):
                guard let event = others[resolved.feed]?.entries.first(where: { $0.position == resolved.position })
                else { continue }
                try resolve(resolved, event, byPeople: recorded.envelope.actor == .service("console"))
            default: break
            }
        }
        open = Set(waiting.flatMap { stream, positions in positions.map { "\(Self.feed(stream)) \($0)" } })
    }

    private mutating func note(_ entry: Entry, of feed: String, isApplied: Bool) throws {
        let stream = try Self.stream(entry, feed)
        guard isApplied else {
            waiting[stream, default: []].insert(entry.position)
            return
        }
        if waiting[stream]?.contains(where: { $0 < entry.position }) == true {
            overtaken.append("\(stream) \(entry.position)")
        }
    }

    private mutating func resolve(_ resolved: ParkedResolved, _ entry: Entry, byPeople: Bool) throws {
        switch resolved.outcome {
        case ParkedResolved.parked: return again += 1
        case ParkedResolved.skipped: skipped += 1
        default: if byPeople { retried += 1 } else { released += 1 }
        }
        let stream = try Self.stream(entry, resolved.feed)
        waiting[stream]?.remove(entry.position)
        guard resolved.outcome == ParkedResolved.retried else { return }
        try note(entry, of: resolved.feed, isApplied: true)
    }

    private static func stream(_ entry: Entry, _ feed: String) throws -> String {
        guard let subject = String(decoding: entry.bytes, as: UTF8.self).split(separator: "\"subject\":\"").last else {
            return feed
        }
        return "\(feed)|\(subject.prefix { $0 != "\"" })"
    }

    private static func feed(_ stream: String) -> Substring { stream.prefix { $0 != "|" } }
}
