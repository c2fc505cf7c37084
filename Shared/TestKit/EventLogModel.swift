import EventSourcing
import Vocabulary
import Wire

/// A minimal model of an event log, to compare implementations with.
private struct EventLogModel {
    /// The stream and id of each event.
    var events: [(stream: String, id: UUID?)] = []
    var answers: [String: (digest: UInt8, status: Int)] = [:]

    func version(of stream: String) -> Int { events.count { $0.stream == stream } }

    func position(of id: UUID) -> Position? {
        events.firstIndex { $0.id == id }.map { Position($0 + 1) }
    }

    /// Returns the position of each draft, known or new; nil if the commit is refused.
    mutating func stage(_ drafts: [Draft]) -> [Position]? {
        var copy = self
        var outcome: [Position] = []
        for draft in drafts {
            if let id = draft.id, let known = copy.position(of: id) {
                outcome.append(known)
                continue
            }
            let version = copy.version(of: draft.stream)
            switch draft.expected {
            case .new where version != 0: return nil
            case .version(let expected) where version != expected: return nil
            default: break
            }
            copy.events.append((draft.stream, draft.id))
            outcome.append(Position(copy.events.count))
        }
        self = copy
        return outcome
    }
}

extension EventLogContract {
    @Sendable static func follows(_ harness: EventLogHarness) throws {
        for seed in UInt64(1)...4 {
            var random = SplitMix64(seed: seed)
            var log = try harness.create(clock)
            var kept = EventLogModel(events: [("journal", nil)])
            var staged = kept
            var now = clock
            for step in 0..<250 {
                now = now.advanced(bySeconds: Double.random(in: -2...3, using: &random))
                let at = "seed \(seed), step \(step)"
                switch Int.random(in: 0..<20, using: &random) {
                case 0:
                    log = try harness.crash(log, now)
                    staged = kept
                case 1...4:
                    try log.commit()
                    kept = staged
                case 5...7:
                    try settle(in: log, &staged, at: now, &random, at)
                default:
                    try write(in: log, &staged, at: now, &random, at)
                }
                try require(log.head.position, equals: Position(staged.events.count), "the head at \(at)")
                try require(
                    try log.reader().head().position, equals: Position(kept.events.count), "what readers see at \(at)")
                let stream = "note/\(Int.random(in: 0..<5, using: &random))"
                try require(try log.version(of: stream), equals: staged.version(of: stream), "\(stream) at \(at)")
            }
            try log.commit()
            try require(try audit(try log.reader()).count, equals: staged.events.count, "events of seed \(seed)")
        }
    }

    private static func write(
        in log: any EventLog, _ model: inout EventLogModel, at now: Instant, _ random: inout SplitMix64, _ at: String
    ) throws {
        let drafts = (0..<Int.random(in: 0...4, using: &random)).map { number in
            let stream = "note/\(Int.random(in: 0..<5, using: &random))"
            let version = max(0, model.version(of: stream) + Int.random(in: -3...1, using: &random) / 3)
            let expected: Expectation =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .version(version)
                case 1 where version == 0: .new
                default: .any
                }
            let isNamed = Bool.random(using: &random)
            let id = isNamed ? UUID.named("\(Int.random(in: 0..<60, using: &random))", in: .furrow) : nil
            return draft(number, in: stream, id: id, expecting: expected)
        }
        let expected = model.stage(drafts)
        var found: [Position]?
        do throws(StageError) {
            found = try log.stage(Commit(drafts), at: now).map { staged in
                switch staged {
                case .written(let entry, _): entry.position
                case .known(let position): position
                }
            }
        } catch {
            guard case .refused(.conflict) = error else { throw error }
        }
        try require(found, equals: expected, "the outcome at \(at)")
    }

    private static func settle(
        in log: any EventLog, _ model: inout EventLogModel, at now: Instant, _ random: inout SplitMix64, _ at: String
    ) throws {
        let name = "k\(Int.random(in: 0..<12, using: &random))"
        let digest = UInt8.random(in: 0..<2, using: &random)
        let key = IdempotencyKey(actor: "person/p", key: name, digest: [digest])
        let known = model.answers[name]
        let expected: IdempotencyLookup =
            if let known {
                known.digest == digest ? .answered(Response(status: known.status, body: [7])) : .misused
            } else {
                .unknown
            }
        try require(try log.recall(key), equals: expected, "\(name) at \(at)")
        guard known == nil else { return }
        let status = Int.random(in: 200..<500, using: &random)
        _ = try log.stage(Commit([], answer: (key, Response(status: status, body: [7]))), at: now)
        model.answers[name] = (digest, status)
    }
}
