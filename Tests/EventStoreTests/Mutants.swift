import Crypto
import EventSourcing
import EventStore
import TestKit
import Vocabulary

/// Broken journals with one defect each. The contract must fail for every one of them.
enum Mutant: CaseIterable, CustomStringConvertible, Sendable {
    case skipsTheChain, forgetsIDs, ignoresExpectations, forgetsAnswers, commitsEarly, losesCommits, showsStaged
    case writesHalf, leavesGaps

    var description: String {
        switch self {
        case .skipsTheChain: "a log that skips the chain"
        case .forgetsIDs: "a log that forgets ids"
        case .ignoresExpectations: "a log that ignores expectations"
        case .forgetsAnswers: "a log that forgets answers"
        case .commitsEarly: "a log that commits while staging"
        case .losesCommits: "a log that only says it commits"
        case .showsStaged: "a log whose readers see what is staged"
        case .writesHalf: "a log that writes drafts one by one"
        case .leavesGaps: "a log whose reader leaves entries out"
        }
    }

    var harness: EventLogHarness {
        EventLogHarness(
            create: { now in
                MutantLog(self, try MemoryLog(feed: "test/farm-0", why: "test", at: now))
            },
            crash: { log, _ in
                guard let log = log as? MutantLog else { throw ContractBreach("not a mutant") }
                return MutantLog(self, try log.log.crash())
            },
            readers: { log in
                let reader = try log.reader()
                guard let reader = reader as? MutantReader else { throw ContractBreach("not a mutant") }
                let (inner, mutant) = (reader.inner, reader.mutant)
                return { MutantReader(mutant, inner) }
            })
    }
}

/// An in-memory log with one defect.
final class MutantLog: EventLog {
    let mutant: Mutant
    let log: MemoryLog

    init(_ mutant: Mutant, _ log: MemoryLog) {
        self.mutant = mutant
        self.log = log
    }

    var head: Head { log.head }
    func version(of stream: String) throws(LogFailure) -> Int { try log.version(of: stream) }

    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup {
        mutant == .forgetsAnswers ? .unknown : try log.recall(key)
    }

    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] {
        var commit = commit
        for index in commit.drafts.indices {
            if mutant == .forgetsIDs { commit.drafts[index].id = nil }
            if mutant == .ignoresExpectations { commit.drafts[index].expected = .any }
        }
        if mutant == .writesHalf {
            var staged: [Staged] = []
            for draft in commit.drafts { staged += try log.stage(Commit([draft]), at: now) }
            return staged + (try log.stage(Commit([], answer: commit.answer), at: now))
        }
        let staged = try log.stage(commit, at: now)
        if mutant == .commitsEarly || mutant == .showsStaged {
            do throws(LogFailure) {
                try log.commit()
            } catch {
                throw .failed(error)
            }
        }
        return staged
    }

    func commit() throws(LogFailure) {
        if mutant != .losesCommits { try log.commit() }
    }

    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure) {
        try log.beginEpoch(why: why, at: now, resettingTime: resettingTime)
    }

    func reader() throws(LogFailure) -> any LogReader {
        guard let inner = try log.reader() as? MemoryReader else {
            throw LogFailure(operation: "test", message: "not a memory reader")
        }
        return MutantReader(mutant, inner)
    }
}

/// An in-memory reader with one defect.
final class MutantReader: LogReader {
    let mutant: Mutant
    let inner: MemoryReader

    init(_ mutant: Mutant, _ inner: MemoryReader) {
        self.mutant = mutant
        self.inner = inner
    }

    func head() throws(LogFailure) -> Head { inner.head() }

    func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        let entries = inner.read(from: position, events: events, bytes: bytes)
        return switch mutant {
        case .skipsTheChain:
            entries.map { Entry(position: $0.position, hash: SHA256.hash($0.bytes), bytes: $0.bytes) }
        case .leavesGaps:
            entries.filter { !$0.position.isMultiple(of: 5) }
        default: entries
        }
    }

    func hash(at position: Position) throws(LogFailure) -> [UInt8]? { inner.hash(at: position) }
    func position(of id: UUID) throws(LogFailure) -> Position? { inner.position(of: id) }
}
