import EventSourcing
import EventStore
import Events
import Vocabulary

@testable import Host

/// A driver of a service, so that the rules of the runtime can be tested on the real one and on mutants.
protocol Driver {
    func take(_ ask: Request, at now: Instant) throws -> [Effect]
    func consume(_ page: Page, at now: Instant) throws
    func commit() throws -> [Effect]
}

/// The real runtime.
struct RuntimeDriver: Driver {
    let runtime: ServiceRuntime<CountingService>

    init(_ log: any EventLog) throws {
        runtime = ServiceRuntime(
            service: CountingService(), log: log, tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    func take(_ ask: Request, at now: Instant) throws -> [Effect] {
        try runtime.take(.asked(ask), at: now)
        return []
    }

    func consume(_ page: Page, at now: Instant) throws { try runtime.consume(page, at: now) }

    func commit() throws -> [Effect] { try runtime.commit() }
}

/// The rules that a mutant breaks.
enum Mutant: CaseIterable {
    case answersFirst, forgivesFailedSync, retriesFailedSync, dropsWhatItCannotRead, parksWithoutHolding
}

/// A driver that breaks one rule and satisfies the others.
final class MutantRuntime: Driver {
    private let mutant: Mutant
    private let log: any EventLog
    private let inner: RuntimeDriver

    init(_ mutant: Mutant, _ log: any EventLog) throws {
        self.mutant = mutant
        self.log = log
        inner = try RuntimeDriver(log)
    }

    func take(_ ask: Request, at now: Instant) throws -> [Effect] {
        guard mutant == .answersFirst else { return try inner.take(ask, at: now) }
        var service = CountingService()
        var leaving: [Effect] = []
        for case .settle(let ask, let drafts, let answer) in service.step(
            .asked(ask), at: now, seeing: inner.runtime.tables)
        {
            _ = try log.stage(Commit(drafts), at: now)
            leaving.append(.reply(ask, answer))
        }
        return leaving
    }

    func consume(_ page: Page, at now: Instant) throws {
        switch mutant {
        case .dropsWhatItCannotRead: try inner.consume(readable(page), at: now)
        case .parksWithoutHolding: try forget(page, at: now)
        case .answersFirst, .forgivesFailedSync, .retriesFailedSync: try inner.consume(page, at: now)
        }
    }

    /// Consumes event by event, and forgets the blocked streams in between.
    private func forget(_ page: Page, at now: Instant) throws {
        for entry in page.entries {
            try inner.consume(Page(head: page.head, entries: [entry]), at: now)
            for blocked in inner.runtime.tables.scan(BlockedStreamRow.self) {
                inner.runtime.tables.remove(BlockedStreamRow.self, blocked.key)
            }
        }
    }

    private func readable(_ page: Page) -> Page {
        let readable = page.entries.filter { entry in
            do {
                _ = try RecordedEvent(reading: entry.bytes)
                return true
            } catch {
                return false
            }
        }
        return Page(head: page.head, entries: readable)
    }

    func commit() throws -> [Effect] {
        switch mutant {
        case .answersFirst:
            try log.commit()
            return []
        case .dropsWhatItCannotRead, .parksWithoutHolding: return try inner.commit()
        case .forgivesFailedSync:
            return try inner.runtime.commit(forgiving: { _ in })
        case .retriesFailedSync:
            return try inner.runtime.commit(forgiving: { try $0.commit() })
        }
    }
}

extension ServiceRuntime<CountingService> {
    /// Continues after a failed sync as if it had succeeded.
    fileprivate func commit(forgiving: (any EventLog) throws -> Void) throws -> [Effect] {
        do {
            return try commit()
        } catch {
            try forgiving(log)
            // The effects that waited for the sync are released although it failed.
            return try commit()
        }
    }
}

/// A journal whose syncs fail on request. As on a disk, the data of a failed sync is lost, and the next sync succeeds.
final class FailingLog: EventLog {
    private var inner: MemoryLog
    /// The number of the next syncs that fail.
    var failures = 0

    init(at now: Instant) throws { inner = try MemoryLog(feed: "counting/farm-0", why: "test", at: now) }

    var head: Head { inner.head }
    func version(of stream: String) throws(LogFailure) -> Int { try inner.version(of: stream) }
    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup { try inner.recall(key) }
    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] { try inner.stage(commit, at: now) }
    func reader() throws(LogFailure) -> any LogReader { try inner.reader() }

    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure) {
        try inner.beginEpoch(why: why, at: now, resettingTime: resettingTime)
    }

    func commit() throws(LogFailure) {
        if failures > 0 {
            failures -= 1
            inner = try inner.crash()
            throw LogFailure(operation: "fsync", message: "Input/output error")
        }
        try inner.commit()
    }
}
