import EventSourcing
import EventStore
import JSON
import Synchronization
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("The check of the index")
struct IndexCheckTests {
    /// A reader whose check runs until it is stopped, or returns its verdict at once.
    private final class Reader: IndexVerifier {
        private let inner: any LogReader
        private let verdict: String?
        private let isEndless: Bool

        init(_ inner: any LogReader, verdict: String?, isEndless: Bool) {
            self.inner = inner
            self.verdict = verdict
            self.isEndless = isEndless
        }

        func indexFlaws(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
            var position: Position = 0
            repeat { position += 1 } while shouldContinue(position) && isEndless
            guard !isEndless else {
                throw LogFailure(operation: "check the index", message: "it was ended", isAway: true)
            }
            verdict.map(found)
        }

        func head() throws(LogFailure) -> Head { try inner.head() }
        func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
            try inner.read(from: position, events: events, bytes: bytes)
        }
        func hash(at position: Position) throws(LogFailure) -> [UInt8]? { try inner.hash(at: position) }
        func position(of id: UUID) throws(LogFailure) -> Position? { try inner.position(of: id) }
    }

    private func check(verdict: String? = nil, isEndless: Bool = false) throws -> (IndexCheck, opened: Opened) {
        let opened = Opened()
        return (
            IndexCheck {
                opened.count.withLock { $0 += 1 }
                let log = try MemoryLog(feed: "test/farm-0", why: "test", at: Instant(microseconds: 1))
                return [Reader(try log.reader(), verdict: verdict, isEndless: isEndless)]
            }, opened
        )
    }

    private final class Opened: Sendable {
        let count = Mutex(0)
    }

    /// Returns the response once the check is done.
    private func done(_ check: IndexCheck) throws -> JSONValue {
        while true {
            let reported = try JSONValue.parse(check.answer.body)
            if try reported.get("done") { return reported }
            _ = try Poll.wait([], milliseconds: 1)
        }
    }

    @Test(arguments: [nil, "the event at 7 is not found by its id"])
    func `a finished check returns the mismatch that it found`(verdict: String?) throws {
        let (check, _) = try check(verdict: verdict)
        try check.begin()
        #expect(try done(check).find("flaw") == verdict)
        check.stop()
    }

    @Test func `a second request joins the running check, which ends with its service`() throws {
        let (check, opened) = try check(isEndless: true)
        try check.begin()
        while opened.count.withLock({ $0 }) == 0 { _ = try Poll.wait([], milliseconds: 1) }
        try check.begin()
        #expect(try JSONValue.parse(check.answer.body).get("done") == false)
        check.stop()
        let reported = try done(check)
        #expect(opened.count.withLock { $0 } == 1)
        #expect(try reported.get("failure", as: String.self).contains("it was ended"))
    }

    @Test func `a check without an index fails instead of reporting no mismatch`() throws {
        let check = IndexCheck { [] }
        try check.begin()
        #expect(try done(check).get("failure", as: String.self).contains("there is none"))
    }
}
