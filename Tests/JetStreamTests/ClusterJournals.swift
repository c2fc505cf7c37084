import Crypto
import EventSourcing
import EventStore
import JetStream
import TestKit
import Vocabulary

/// Journals in the shared cluster of the tests.
final class ClusterJournals {
    static let key = [UInt8](repeating: 7, count: Cluster.keySize)
    private let folder: String
    let cluster: NATSCluster
    private var number = 0

    init(in folder: String, cluster: NATSCluster? = nil) throws {
        self.folder = folder
        self.cluster = try cluster ?? NATSCluster.shared.get()
    }

    var description: Cluster { Cluster(servers: cluster.servers, key: Self.key, name: "test") }

    func open(_ path: String, feed: String, at now: Instant) throws -> SQLiteLog {
        try description.open(path, feed: feed, why: "test", at: now)
    }

    /// Returns the name of an origin that no other test uses.
    static func feed() -> String { "test/\(Hex.encode(Random.bytes(6)))-0" }

    func path() -> String {
        number += 1
        return "\(folder)/\(number).db"
    }

    func harness(with remainder: ClusterContractTests.Remainder) -> EventLogHarness {
        EventLogHarness(
            create: { now in
                try self.open(self.path(), feed: Self.feed(), at: now)
            },
            crash: { log, now in
                guard let log = log as? SQLiteLog else { throw ContractBreach("not a journal in a cluster") }
                let path = self.path()
                if remainder == .wholeFile { try copyDatabase(log.path, to: path) }
                return try self.open(path, feed: log.head.feed, at: now)
            },
            readers: { log in
                let path = (log as? SQLiteLog)?.path ?? ""
                return { try SQLiteReader(path: path) }
            })
    }
}
