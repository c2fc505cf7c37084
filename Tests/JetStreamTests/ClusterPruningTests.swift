import EventSourcing
import EventStore
import NATS
import TestKit
import Testing
import Vocabulary

@testable import JetStream

@Suite("Pruned segments in a cluster")
struct ClusterPruningTests {
    private static let size = Position(StoreLimits.sealEvents)

    @Test func `the events of a pruned segment leave the stream, and every machine gets the pruned segment`() throws {
        try withJournals { journals, feed in
            let log = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try ClusterJournals.append(0..<2_000, to: log)
            // One machine stops before anything is sealed, in the middle of the first segment.
            let early = journals.path()
            try copyDatabase(log.path, to: early)
            try Self.append(2_000..<14_000, to: log)
            try ClusterJournals.seal(log)
            try ClusterJournals.prune(1, of: log, keepingEach: 7)
            // One has sealed three segments, and pruned one of them.
            let later = journals.path()
            try copyDatabase(log.path, to: later)
            // Nothing of the second is old enough. Its segment replaces the events all the same.
            try ClusterJournals.prune(2, of: log, keepingEach: nil)
            try ClusterJournals.prune(3, of: log, keepingEach: 3)
            try Self.append(14_000..<14_100, to: log)

            #expect(try Self.stream(of: feed, in: journals).event(from: 1)?.position() == 3 * Self.size + 1)
            let entries = try ClusterJournals.entries(of: log)
            #expect(entries.count { $0.isPruned } > 6_000)
            for path in [journals.path(), early, later] {
                let other = try journals.open(path, feed: feed, at: ClusterJournals.now)
                #expect(other.head == log.head)
                while try other.dropSealed() {}
                #expect(try ClusterJournals.entries(of: other) == entries)
                #expect(try SQLiteReader(path: path).segments().count == 3)
                #expect(try Self.flaws(in: path) == [])
                for number in 0..<5 {
                    #expect(try other.version(of: "note/\(number)") == log.version(of: "note/\(number)"))
                }
                let key = IdempotencyKey(actor: "person/p", key: "k1230", digest: [1])
                #expect(
                    try other.recall(key) == .answered(Response(status: 201, body: Array(#"{"number":1230}"#.utf8))))
                try other.close()
            }
        }
    }

    @Test func `a machine that took pruned segments seals and prunes the next ones`() throws {
        try withJournals { journals, feed in
            let log = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try Self.append(0..<6_000, to: log)
            try ClusterJournals.seal(log)
            try ClusterJournals.prune(1, of: log, keepingEach: 7)
            let other = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try Self.append(6_000..<10_000, to: other)
            try ClusterJournals.seal(other)
            try ClusterJournals.prune(2, of: other, keepingEach: 7)
            try log.close()
            let last = try journals.open(log.path, feed: feed, at: ClusterJournals.now)
            #expect(try ClusterJournals.entries(of: last) == ClusterJournals.entries(of: other))
            #expect(try Self.flaws(in: last.path) == [])
        }
    }

    @Test func `a journal with pruned segments moves into a cluster and back`() throws {
        try withJournals { journals, feed in
            let path = journals.path()
            let local = try SQLiteLog(path: path, feed: feed, why: "test", at: ClusterJournals.now)
            try Self.append(0..<6_000, to: local)
            try ClusterJournals.seal(local)
            try ClusterJournals.prune(1, of: local, keepingEach: 7)
            let entries = try ClusterJournals.entries(of: local)
            try local.close()
            #expect(
                try journals.open(path, feed: feed, at: ClusterJournals.now).head.position == entries.last?.position)
            #expect(try Self.stream(of: feed, in: journals).event(from: 1)?.position() == Self.size + 1)

            let other = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            #expect(try ClusterJournals.entries(of: other) == entries)
            try Self.append(6_000..<10_000, to: other)
            try ClusterJournals.seal(other)
            try ClusterJournals.prune(2, of: other, keepingEach: 7)
            let after = try ClusterJournals.entries(of: other)
            try other.close()
            // The first machine takes the journal out; it has not seen the last seals.
            _ = try journals.description.leave(path, feed: feed, at: ClusterJournals.now)
            let home = try SQLiteLog(path: path, feed: feed, why: "test", at: ClusterJournals.now)
            #expect(try ClusterJournals.entries(of: home) == after)
            try Self.append(10_000..<14_000, to: home)
            try ClusterJournals.seal(home)
            #expect(try SQLiteReader(path: path).segments().count == 3)
            #expect(try Self.flaws(in: path) == [])
        }
    }

    @Test func `events that a writer could not remove before it ended are removed by the next one`() throws {
        try withJournals { journals, feed in
            let log = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try Self.append(0..<6_000, to: log)
            try ClusterJournals.seal(log)
            let stream = try Self.stream(of: feed, in: journals)
            let last = try #require(try stream.describe()?.last)
            try log.close()
            let interrupted = try SQLiteLog(
                replica: log.path, feed: feed, replication: InterruptedRemoval(stream, last: last))
            let run = try PrunedRun.make(
                1...Self.size, in: SegmentDirectory(ofJournal: log.path), keeping: []
            ) { $0.position > 1 ? ClusterJournals.now : nil }
            try interrupted.prune(run)
            _ = try interrupted.stage(Commit(run.drafts), at: ClusterJournals.now)
            #expect(throws: LogFailure.self) { try interrupted.commit() }
            try interrupted.close()
            #expect(try stream.event(from: 1)?.position() == 1)

            let next = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            #expect(try stream.event(from: 1)?.position() == Self.size + 1)
            let entries = try ClusterJournals.entries(of: next)
            #expect(entries.count { $0.isPruned } == Int(Self.size) - 1)
            #expect(
                try ClusterJournals.entries(of: journals.open(log.path, feed: feed, at: ClusterJournals.now)) == entries
            )
        }
    }

    /// Returns what is wrong with the segments and the tables of a journal.
    private static func flaws(in path: String) throws -> [String] {
        var flaws: [String] = []
        try SQLiteReader(path: path).indexFlaws({ _ in true }) { flaws.append($0) }
        return flaws
    }

    /// Appends more events than a batch has, in several commits.
    private static func append(_ numbers: Range<Int>, to log: SQLiteLog) throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
            try ClusterJournals.append(start..<min(start + 500, numbers.upperBound), to: log)
        }
    }

    private static func stream(of feed: String, in journals: ClusterJournals) throws -> JournalStream {
        let options = NATSOptions(servers: journals.cluster.servers, name: "test")
        return try JournalStream(of: JournalFormat.origin(of: feed), on: NATSConnection(options))
    }

    private func withJournals(_ body: (ClusterJournals, String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            try body(try ClusterJournals(in: folder), ClusterJournals.feed())
        }
    }
}

/// Appends to a stream, and fails when events are to be removed.
private final class InterruptedRemoval: JournalReplication {
    private let replication: JetStreamReplication

    init(_ stream: JournalStream, last: Int64) {
        let encryption = ResponseEncryption(key: ClusterJournals.key)
        replication = JetStreamReplication(stream, encryption: encryption, writer: "interrupted", last: last)
    }

    func append(_ commits: [ReplicatedCommit]) throws(LogFailure) -> Int64 { try replication.append(commits) }

    func removeEvents(through position: Position) throws(LogFailure) {
        throw LogFailure(operation: "prune", message: "interrupted")
    }
}
