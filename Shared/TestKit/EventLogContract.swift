public import EventSourcing
import Synchronization
import Vocabulary
import Wire

/// The contract of every event log, regardless of its storage.
///
/// ```
/// @Test(arguments: EventLogContract.checks)
/// func `meets the contract`(_ check: EventLogContract.Check) async throws {
///     try await check.run(harness)
/// }
/// ```
public enum EventLogContract {
    /// A clause of this contract.
    public typealias Check = ContractCheck<EventLogHarness>

    /// All clauses.
    public static var checks: [Check] {
        [
            Check("a new log begins with the epoch", begins),
            Check("positions have no gaps and every event is chained", chains),
            Check("reading returns the exact bytes that were staged", keepsBytes),
            Check("expected versions are compared with staged versions", expects),
            Check("a refused commit writes nothing", refusesWhole),
            Check("an event id is written only once", knows),
            Check("an idempotency key has one stored response", answers),
            Check("a log continues at its last commit after a crash", reopens),
            Check("readers see committed events only", hides),
            Check("uncommitted events are gone after a crash", forgets),
            Check("recorded times never decrease", ordersTime),
            Check("pages respect their limits of events and bytes", pages),
            Check("an event of 65,000 bytes is accepted and a larger one refused", bounds),
            Check("stream names are compared by their bytes", distinguishes),
            Check("a reader on another thread works during appends", concurs),
            Check("random commits and crashes match the model", follows),
        ]
    }

    static let clock = Instant(microseconds: 1_777_792_500_000_000)

    static func draft(
        _ number: Int, in stream: String = "note/a", id: UUID? = nil, expecting expected: Expectation = .any,
        text: String = ""
    ) -> Draft {
        Draft(Noted(number, text), in: stream, id: id, by: .service("test"), expecting: expected)
    }

    /// Stages drafts as one commit and returns the written entries.
    @discardableResult
    static func stage(_ drafts: [Draft], in log: any EventLog, at now: Instant = clock) throws -> [Entry] {
        try log.stage(Commit(drafts), at: now).compactMap { staged in
            if case .written(let entry, _) = staged { return entry }
            return nil
        }
    }

    static func refusal(of commit: Commit, in log: any EventLog) throws -> AppendRefusal {
        do throws(StageError) {
            _ = try log.stage(commit, at: clock)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            return refusal
        }
        throw ContractBreach("a commit was not refused")
    }

    /// Reads and verifies the whole log: no gaps, chained from the start, every envelope at its position.
    @discardableResult
    public static func audit(_ reader: any LogReader) throws -> [Entry] {
        let head = try reader.head()
        guard let start = try reader.hash(at: 0) else { throw ContractBreach("there is no hash at 0") }
        var entries: [Entry] = []
        while true {
            let page = try reader.read(from: Position(entries.count) + 1, events: 300, bytes: 1 << 20)
            if page.isEmpty { break }
            entries += page
        }
        try require(Position(entries.count) >= head.position, "the reader gives less than its head")
        let broken = Chain.firstBreak(in: entries, after: start, at: 0)
        try require(broken == nil, "the chain is broken at \(broken ?? 0)")
        var versions: [[UInt8]: Int] = [:]
        var recorded = Instant(microseconds: .min)
        for (index, entry) in entries.enumerated() {
            let envelope = try EnvelopeCodec.read(entry.bytes).envelope
            try require(envelope.position, equals: Position(index + 1), "the envelope's position")
            try require("\(envelope.origin)", equals: head.feed, "the envelope's origin")
            versions[Array(envelope.stream.utf8), default: 0] += 1
            try require(envelope.version, equals: versions[Array(envelope.stream.utf8)] ?? 0, "the stream's version")
            try require(envelope.recorded > recorded, "\(index + 1) was recorded before the one before it")
            recorded = envelope.recorded
        }
        if head.position > 0, Position(entries.count) == head.position {
            try require(entries.last?.hash ?? [], equals: head.hash, "the head's hash")
        }
        return entries
    }
}

extension EventLogContract {
    @Sendable static func begins(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        try require(log.head.position, equals: 1, "the first position")
        let reader = try log.reader()
        try require(reader.head(), equals: log.head, "the reader's head")
        let start = try reader.hash(at: 0) ?? []
        try require(start, equals: Chain.start(feed: log.head.feed, epoch: log.head.epoch), "the chain's start")
        let entries = try audit(reader)
        let (envelope, data) = try EnvelopeCodec.read(entries[0].bytes)
        try require(envelope.name, equals: EpochBegan.name, "the first event")
        let began = try EpochBegan(json: data)
        try require(began.previous == nil && began.keptTo == 0, "the first epoch has one before it")
        try require(try log.version(of: envelope.stream), equals: 1, "the version of the journal's own stream")
    }

    @Sendable static func chains(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        for round in 1...40 {
            let drafts = (0..<(round % 7 + 1)).map { draft($0, in: "note/\($0 % 3)") }
            let entries = try stage(drafts, in: log)
            try require(entries.count, equals: drafts.count, "events written")
            try require(entries.last?.position ?? 0, equals: log.head.position, "the head's position")
            try require(entries.last?.hash ?? [], equals: log.head.hash, "the head's hash")
            if round.isMultiple(of: 3) { try log.commit() }
        }
        try log.commit()
        let entries = try audit(try log.reader())
        try require(Position(entries.count), equals: log.head.position, "events read")
        try require(try log.reader().hash(at: 7) ?? [], equals: entries[6].hash, "the hash at 7")
        try require(try log.reader().hash(at: log.head.position + 1) == nil, "there is a hash beyond the head")
    }

    @Sendable static func keepsBytes(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        let happened = Instant(microseconds: clock.microseconds - 3_600_000_000)
        let cause = UUID(bytes: (0..<16).map { UInt8($0) })
        let described = Draft(
            Noted(1, "Grüße \u{0} \"\\ \u{1F345}"), in: "note/é", at: happened, farm: FarmID("f1"),
            by: .service("test"), correlation: cause, causation: cause)
        let staged = try stage([described, draft(2)], in: log)
        try log.commit()
        let read = try log.reader().read(from: staged[0].position, events: 2, bytes: 1 << 20)
        try require(read, equals: staged, "the entries read")
        let (envelope, data) = try EnvelopeCodec.read(staged[0].bytes)
        try require(try Noted(json: data), equals: Noted(1, "Grüße \u{0} \"\\ \u{1F345}"), "the event read")
        try require(envelope.time, equals: happened, "when it happened")
        try require(envelope.farm, equals: FarmID("f1"), "whose it is")
        try require(envelope.correlation == cause && envelope.causation == cause, "what it came from")
        let second = try EnvelopeCodec.read(staged[1].bytes).envelope
        try require(second.time, equals: second.recorded, "the time of an event that names none")
        try require(try log.reader().position(of: second.id), equals: staged[1].position, "where its id is")
        try require(second.id != envelope.id, "two events have one id")
    }

    @Sendable static func expects(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        try stage([draft(1, expecting: .new), draft(2, expecting: .version(1))], in: log)
        try require(try log.version(of: "note/a"), equals: 2, "the staged version")
        try require(try log.version(of: "note/unknown"), equals: 0, "the version of an unknown stream")
        let conflict = AppendRefusal.conflict(stream: "note/a", version: 2)
        for phase in ["staged", "committed", "after a crash"] {
            var log = log
            if phase == "committed" { try log.commit() }
            if phase == "after a crash" { log = try harness.crash(log, clock) }
            for expected in [Expectation.new, .version(1), .version(3), .version(0)] {
                let found = try refusal(of: Commit([draft(3, expecting: expected)]), in: log)
                try require(found, equals: conflict, "\(expected) when \(phase)")
            }
            if phase == "after a crash" { try stage([draft(3, expecting: .version(2))], in: log) }
        }
    }

    @Sendable static func refusesWhole(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        try stage([draft(1)], in: log)
        let before = log.head
        let key = IdempotencyKey(actor: "person/p", key: "k", digest: [1])
        let drafts = [draft(2), draft(3, in: "note/b", expecting: .new), draft(4, expecting: .version(1))]
        let refused = try refusal(of: Commit(drafts, answer: (key, Response(status: 201, body: []))), in: log)
        try require(refused, equals: .conflict(stream: "note/a", version: 2), "the refusal")
        try require(log.head, equals: before, "the head after a refusal")
        try require(try log.version(of: "note/a"), equals: 1, "a version after a refusal")
        try require(try log.version(of: "note/b"), equals: 0, "another version after a refusal")
        try require(try log.recall(key), equals: .unknown, "the answer after a refusal")
        let large = draft(5, in: "note/b", text: String(repeating: "x", count: EventLimits.eventBytes))
        _ = try refusal(of: Commit([draft(2), large]), in: log)
        try require(log.head, equals: before, "the head after a refusal for size")
        try require(try stage([draft(2)], in: log).first?.position ?? 0, equals: 3, "the next position")
        try log.commit()
        try require(try audit(try log.reader()).count, equals: 3, "events written")
    }

    @Sendable static func knows(_ harness: EventLogHarness) throws {
        var log = try harness.create(clock)
        let (a, b) = (UUID.named("a", in: .furrow), UUID.named("b", in: .furrow))
        let first = try log.stage(Commit([draft(1, id: a), draft(2, id: b), draft(3, id: a)]), at: clock)
        try require(first.count, equals: 3, "outcomes")
        try require(first[2], equals: .known(2), "the same id twice in a commit")
        for phase in ["staged", "committed", "after a crash"] {
            if phase == "committed" { try log.commit() }
            if phase == "after a crash" { log = try harness.crash(log, clock) }
            let before = log.head
            // The expectation would fail now, because of that same event.
            let again = try log.stage(Commit([draft(2, id: b, expecting: .version(1))]), at: clock)
            try require(again, equals: [.known(3)], "a known id when \(phase)")
            try require(log.head, equals: before, "the head after a known id")
        }
        try require(try log.reader().position(of: b), equals: 3, "where the id is")
        try require(try log.reader().position(of: UUID.named("c", in: .furrow)) == nil, "an unknown id is somewhere")
        try require(try log.version(of: "note/a"), equals: 2, "the version")
        let mixed = try log.stage(Commit([draft(1, id: a), draft(4, expecting: .version(2))]), at: clock)
        guard case .written(let entry, _)? = mixed.last else { throw ContractBreach("a new event was not written") }
        try require(entry.position, equals: 4, "the position after a known id")
    }

    @Sendable static func answers(_ harness: EventLogHarness) throws {
        var log = try harness.create(clock)
        let key = IdempotencyKey(actor: "person/p", key: "k1", digest: [1, 2])
        let answer = Response(status: 201, body: Array("{\"lot\":\"L1\"}".utf8))
        try require(try log.recall(key), equals: .unknown, "a command that was never sent")
        _ = try log.stage(Commit([draft(1)], answer: (key, answer)), at: clock)
        let refusal = IdempotencyKey(actor: "person/p", key: "k2", digest: [3])
        // A refusal is a stored response without events.
        _ = try log.stage(Commit([], answer: (refusal, Response(status: 409, body: []))), at: clock)
        for phase in ["staged", "committed", "after a crash"] {
            if phase == "committed" { try log.commit() }
            if phase == "after a crash" { log = try harness.crash(log, clock) }
            try require(try log.recall(key), equals: .answered(answer), "the answer when \(phase)")
            try require(try log.recall(refusal), equals: .answered(Response(status: 409, body: [])), "a refusal")
            let other = IdempotencyKey(actor: "person/p", key: "k1", digest: [9])
            try require(try log.recall(other), equals: .misused, "the key with another request")
            let else1 = IdempotencyKey(actor: "person/q", key: "k1", digest: [1, 2])
            try require(try log.recall(else1), equals: .unknown, "the same key of another actor")
            let before = log.head
            do throws(StageError) {
                _ = try log.stage(Commit([draft(2)], answer: (key, answer)), at: clock)
                throw StageError.refused(.tooLarge(stream: "", bytes: 0))
            } catch {
                guard case .failed = error else { throw ContractBreach("a command was settled twice") }
            }
            try require(log.head, equals: before, "the head after settling twice")
        }
        try stage([draft(3)], in: log)
        try log.commit()
        try require(try audit(try log.reader()).count, equals: 3, "events written")
    }
}
