import EventSourcing
import EventStore
import HubStore
import TestKit
import Vocabulary

/// Broken hubs with one defect of pruning each. The contract must fail for every one of them.
enum MirrorMutant: CaseIterable, Sendable {
    case takesANeighbour, keepsAll, doesNotWait, takesAnything

    var harness: MirrorHarness {
        MirrorHarness(
            create: { now in
                MutantHub(self, try MemoryHub(feed: HubDatabase.feed, why: "test", at: now))
            },
            crash: { log, _ in
                guard let log = log as? MutantHub else { throw ContractBreach("not a mutant") }
                return MutantHub(self, try log.hub.crash())
            })
    }
}

/// An in-memory hub with one defect.
final class MutantHub: MirrorLog {
    let mutant: MirrorMutant
    let hub: MemoryHub

    init(_ mutant: MirrorMutant, _ hub: MemoryHub) {
        self.mutant = mutant
        self.hub = hub
    }

    func prune(_ feed: String, _ positions: [Position]) throws(LogFailure) {
        switch mutant {
        case .takesANeighbour: try hub.prune(feed, positions + positions.suffix(1).map { $0 + 1 })
        case .keepsAll: break
        case .doesNotWait:
            try hub.prune(feed, positions)
            try hub.commit()
        case .takesAnything:
            guard feed != hub.head.feed else { return }
            try hub.prune(feed, positions)
        }
    }

    var head: Head { hub.head }
    var hubHead: Head { hub.hubHead }
    func version(of stream: String) throws(LogFailure) -> Int { try hub.version(of: stream) }
    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup { try hub.recall(key) }
    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] { try hub.stage(commit, at: now) }
    func commit() throws(LogFailure) { try hub.commit() }
    func reader() throws(LogFailure) -> any LogReader { try hub.reader() }
    func feeds() -> [Head] { hub.feeds() }
    func take(_ page: Page) throws(MirrorRefusal) { try hub.take(page) }
    func hubReader() throws(LogFailure) -> any LogReader { try hub.hubReader() }
    func originReader(_ feed: String) throws(LogFailure) -> any MirrorReader { try hub.originReader(feed) }

    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure) {
        try hub.beginEpoch(why: why, at: now, resettingTime: resettingTime)
    }

    func accept(_ feed: String, keptTo position: Position, hash: [UInt8]) throws(MirrorRefusal) {
        try hub.accept(feed, keptTo: position, hash: hash)
    }
}
