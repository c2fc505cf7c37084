import Crypto
import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import Wire

@testable import JetStream

@Suite("A journal in a cluster")
struct ClusterTests {
    private static func failure(_ body: () throws -> Void) throws -> String {
        do {
            try body()
        } catch let failure as LogFailure {
            return failure.message
        } catch StageError.failed(let failure) {
            return failure.message
        }
        return "nothing was refused"
    }

    @Test func `a writer that was replaced cannot append`() throws {
        try withFolder { journals in
            let feed = ClusterJournals.feed()
            let first = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try ClusterJournals.append(0..<20, to: first)
            let second = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try ClusterJournals.append(20..<25, to: second)
            #expect(
                try Self.failure { try ClusterJournals.append(100..<101, to: first) }.hasPrefix(
                    "another writer has continued"))
            // Its failure is final.
            #expect(
                try Self.failure { try ClusterJournals.append(101..<102, to: first) }.hasPrefix(
                    "another writer has continued"))
            try ClusterJournals.append(25..<30, to: second)
            let third = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            #expect(third.head == second.head)
            #expect(try EventLogContract.audit(third.reader()).count == 31)
        }
    }

    @Test func `a journal moves into a cluster, out of it and back, with every event and response`() throws {
        try withFolder { journals in
            let (feed, path) = (ClusterJournals.feed(), journals.path())
            let local = try SQLiteLog(path: path, feed: feed, why: "test", at: ClusterJournals.now)
            try ClusterJournals.append(0..<2_500, to: local)
            let before = local.head
            try local.close()

            let log = try journals.open(path, feed: feed, at: ClusterJournals.now)
            #expect(log.head == before)
            try ClusterJournals.append(2_500..<2_600, to: log)
            let (inside, epoch) = (log.head, log.head.epoch)
            try log.close()
            // Another machine gets all of it.
            let other = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            #expect(other.head == inside)
            for number in [0, 1_230, 2_590] {
                let key = IdempotencyKey(actor: "person/p", key: "k\(number)", digest: [1])
                let response = Response(status: 201, body: Array("{\"number\":\(number)}".utf8))
                #expect(try other.recall(key) == .answered(response))
            }
            try ClusterJournals.append(2_600..<2_610, to: other)
            try other.close()

            // It leaves with what the other machine appended.
            #expect(
                try Self.failure { _ = try SQLiteLog(path: path, feed: feed, why: "test", at: ClusterJournals.now) }
                    .contains("furrow cluster leave"))
            #expect(try journals.description.leave(path, feed: feed, at: ClusterJournals.now) == other.head)
            let home = try SQLiteLog(path: path, feed: feed, why: "test", at: ClusterJournals.now)
            try ClusterJournals.append(2_610..<2_620, to: home)
            #expect(home.head.epoch == epoch)
            try home.close()
            // The copy on the other machine must not continue what the file continues.
            #expect(
                try Self.failure { _ = try journals.open(other.path, feed: feed, at: ClusterJournals.now) }
                    .contains("was taken out of the cluster"))

            let back = try journals.open(path, feed: feed, at: ClusterJournals.now)
            #expect(back.head == home.head)
            try ClusterJournals.append(2_620..<2_630, to: back)
            #expect(try EventLogContract.audit(back.reader()).count == 2_631)
            #expect(try journals.open(other.path, feed: feed, at: ClusterJournals.now).head == back.head)
        }
    }

    @Test func `a journal of the same name that is another one is refused`() throws {
        try withFolder { journals in
            let (feed, path) = (ClusterJournals.feed(), journals.path())
            try ClusterJournals.append(
                0..<5, to: try journals.open(journals.path(), feed: feed, at: ClusterJournals.now))
            try SQLiteLog(path: path, feed: feed, why: "test", at: ClusterJournals.now).close()
            #expect(
                try Self.failure { _ = try journals.open(path, feed: feed, at: ClusterJournals.now) }
                    .contains("has a journal of \(feed) already"))
        }
    }

    @Test func `a backup of a replica is a journal without a cluster`() throws {
        try withFolder { journals in
            let (feed, copy) = (ClusterJournals.feed(), journals.path())
            let log = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            try ClusterJournals.append(0..<20, to: log)
            try JournalSnapshot(path: log.path).copy(to: copy)
            let opened = try SQLiteLog(path: copy, feed: feed, why: "test", at: ClusterJournals.now)
            #expect(opened.head == log.head)
            #expect(try EventLogContract.audit(opened.reader()).count == 21)
        }
    }

    @Test(arguments: [("2.15.1", true), ("2.16.0", true), ("3.0.0", true), ("2.14.9", false), (nil, false)])
    func `servers before version 2-15 and those that do not report a version are refused`(
        version: String?, isSupported: Bool
    ) {
        #expect(StreamDescription(identity: "", last: 0, version: version).isSupported == isSupported)
    }

    @Test func `another key cannot read the stored responses of a cluster`() throws {
        try withFolder { journals in
            let feed = ClusterJournals.feed()
            try ClusterJournals.append(
                0..<11, to: try journals.open(journals.path(), feed: feed, at: ClusterJournals.now))
            let stranger = Cluster(
                servers: journals.cluster.servers, key: Random.bytes(Cluster.keySize), name: "stranger")
            #expect(
                try Self.failure {
                    _ = try stranger.open(journals.path(), feed: feed, why: "test", at: ClusterJournals.now)
                }.contains("FURROW_CLUSTER_KEY"))
        }
    }

    @Test func `commits that are larger than a batch of the server are stored whole and in order`() throws {
        try withFolder { journals in
            let (feed, path) = (ClusterJournals.feed(), journals.path())
            let log = try journals.open(path, feed: feed, at: ClusterJournals.now)
            for commit in 0..<12 {
                _ = try log.stage(
                    Commit((0..<EventLimits.decisionEvents).map { ClusterJournals.draft(commit * 1_000 + $0) }),
                    at: ClusterJournals.now)
            }
            try log.commit()
            let large = String(repeating: "x", count: 60_000)
            _ = try log.stage(
                Commit((0..<EventLimits.decisionEvents).map { ClusterJournals.draft($0, text: large) }),
                at: ClusterJournals.now)
            try log.commit()
            let other = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            #expect(other.head == log.head)
            #expect(try EventLogContract.audit(other.reader()).count == 13 * EventLimits.decisionEvents + 1)
        }
    }

    @Test func `a machine that lost its file has the sealed segments again`() throws {
        try withFolder { journals in
            let feed = ClusterJournals.feed()
            let log = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            let folder = SegmentDirectory(ofJournal: log.path)
            for part in 0..<40 { try ClusterJournals.append(part * 256..<(part + 1) * 256, to: log) }
            try ClusterJournals.seal(log)
            let other = try journals.open(journals.path(), feed: feed, at: ClusterJournals.now)
            while try other.dropSealed() {}
            #expect(try SegmentDirectory(ofJournal: other.path).names() == folder.names())
            #expect(try folder.names().count == 2)
            #expect(other.head == log.head)
            let entries = try EventLogContract.audit(other.reader())
            #expect(try EventLogContract.audit(log.reader()) == entries)
        }
    }

    private func withFolder(_ body: (ClusterJournals) throws -> Void) throws {
        try withTemporaryDirectory { folder in try body(try ClusterJournals(in: folder)) }
    }
}
