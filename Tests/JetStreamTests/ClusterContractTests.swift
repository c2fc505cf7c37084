import EventSourcing
import EventStore
import JetStream
import TestKit
import Testing

@Suite("Event log contract in a cluster")
struct ClusterContractTests {
    /// What is left of a machine's file after a crash.
    enum Remainder: String, CaseIterable, CustomStringConvertible {
        case wholeFile, noFile
        var description: String { rawValue }
    }

    @Test(arguments: EventLogContract.checks, Remainder.allCases)
    func `a journal in a cluster satisfies the event log contract`(
        check: EventLogContract.Check, remainder: Remainder
    ) async throws {
        try await withTemporaryDirectory { folder in
            try await check.run(try ClusterJournals(in: folder).harness(with: remainder))
        }
    }
}
