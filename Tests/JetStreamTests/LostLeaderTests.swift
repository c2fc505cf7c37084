import Crypto
import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import Wire

@testable import JetStream

/// Journals in a model of a cluster that loses its leader at any step, with writers that crash and replace each other.
@Suite("A journal whose cluster loses its leader")
struct LostLeaderTests {
    @Test(arguments: 1...UInt64(16))
    func `keeps what it acknowledged once and in order, with any writer`(seed: UInt64) throws {
        let counts = try run(seed)
        #expect(counts.acknowledged > 100 && counts.failed > 20, "\(counts)")
    }

    @Test func `a stream without a comparison of sequence numbers, or with torn batches, is found`() {
        for flaw in [ModelStream.Flaw.comparesNothing, .tearsBatches] {
            let isFound = (1...UInt64(16)).contains { seed in
                do {
                    _ = try run(seed, flaw: flaw)
                    return false
                } catch {
                    return true
                }
            }
            #expect(isFound, "\(flaw)")
        }
    }

    /// What was wrong after a run.
    private struct Wrong: Error {
        let what: String
    }

    /// Runs writers until 60 commits are acknowledged, and compares the journal of another machine with what was
    /// acknowledged.
    private func run(
        _ seed: UInt64, flaw: ModelStream.Flaw? = nil
    ) throws -> (acknowledged: Int, failed: Int) {
        let stream = ModelStream(seed: seed, flaw: flaw)
        var chance = SplitMix64(seed: seed &* 7_919)
        var acknowledged: [UUID] = []
        var answered: [Int] = []
        try withTemporaryDirectory { folder in
            let machines = (0..<3).map { "\(folder)/\($0).db" }
            try SQLiteLog(path: machines[0], feed: Self.feed, why: "test", at: ClusterJournals.now).close()
            var (machine, number) = (0, 0)
            var writers: [Int: SQLiteLog] = [0: try open(machines[0], stream)]
            stream.failures = 25
            while answered.count < 60 {
                if chance.next() % 12 == 0 {
                    // Another machine takes over, or this one starts again; the old writer may not know.
                    machine = Int(chance.next() % 3)
                    try writers.removeValue(forKey: machine)?.close()
                    writers[machine] = try open(machines[machine], stream)
                }
                let author = chance.next() % 4 == 0 ? Int(chance.next() % 3) : machine
                guard let log = writers[author] else { continue }
                number += 1
                let ids = (0..<1 + Int(chance.next() % 5)).map { UUID.named("\(seed)-\(number)-\($0)", in: .furrow) }
                do {
                    let key = IdempotencyKey(actor: "person/p", key: "k\(number)", digest: [1])
                    let drafts = ids.map {
                        Draft(Noted(number), in: "note/\(number % 5)", id: $0, by: .service("test"))
                    }
                    _ = try log.stage(
                        Commit(drafts, answer: (key, Response(status: 201, body: Array("\(number)".utf8)))),
                        at: ClusterJournals.now)
                    try log.commit()
                    acknowledged += ids
                    answered.append(number)
                } catch {
                    guard author != machine else { throw Wrong(what: "the only writer failed: \(error)") }
                    try writers.removeValue(forKey: author)?.close()
                }
            }
            stream.failures = 0
            let other = try open("\(folder)/other.db", stream)
            let ids = try ClusterJournals.ids(of: other)
            guard ids.count == Set(ids).count, ids.filter(Set(acknowledged).contains) == acknowledged else {
                throw Wrong(what: "\(acknowledged.count) events were acknowledged, and \(ids.count) are in the journal")
            }
            for number in answered {
                let key = IdempotencyKey(actor: "person/p", key: "k\(number)", digest: [1])
                let answer = try other.recall(key)
                guard answer == .answered(Response(status: 201, body: Array("\(number)".utf8))) else {
                    throw Wrong(what: "the response of \(number) is \(answer)")
                }
            }
        }
        return (acknowledged.count, stream.failed)
    }

    private static let feed = "test/farm-0"

    private func open(_ path: String, _ stream: ModelStream) throws -> SQLiteLog {
        let origin = try JournalFormat.origin(of: Self.feed)
        let replication = try JournalCopy(
            path, of: origin, in: stream, encryption: ResponseEncryption(key: ClusterJournals.key)
        ).open(at: ClusterJournals.now)
        return try SQLiteLog(replica: path, feed: Self.feed, replication: replication)
    }
}
