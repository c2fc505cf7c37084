import Foundation
import System
import Testing

@testable import Host

@Suite("Worker threads")
struct WorkersTests {
    private typealias Start = (_ token: UInt64, _ recipient: String?, @escaping @Sendable () -> [UInt8]) -> Bool

    /// Returns the jobs that finish while a mail server hangs with two messages: a payment and a password hash. Then
    /// the server responds, and all jobs finish.
    private func finished(beside start: Start, _ results: Mailbox<LoopMessage>, seconds: Double) throws -> Set<UInt64> {
        let hangs = DispatchSemaphore(value: 0)
        for token: UInt64 in 1...2 {
            #expect(
                start(token, "mail") {
                    hangs.wait()
                    return []
                })
        }
        #expect(start(3, "sandbox") { [3] })
        #expect(start(4, nil) { [4] })
        let meanwhile = try tokens(2, from: results, seconds: seconds)
        for _ in 1...2 { hangs.signal() }
        #expect(try meanwhile.union(tokens(4 - meanwhile.count, from: results, seconds: 10)) == [1, 2, 3, 4])
        return meanwhile
    }

    /// Returns the tokens that finish, until there are `count` or `seconds` have passed.
    private func tokens(_ count: Int, from results: Mailbox<LoopMessage>, seconds: Double) throws -> Set<UInt64> {
        var tokens: Set<UInt64> = []
        let end = Date().addingTimeInterval(seconds)
        while tokens.count < count, Date() < end {
            _ = try Poll.wait([results.descriptor], milliseconds: 10)
            for case .finished(let token, _) in results.drain() { tokens.insert(token) }
        }
        return tokens
    }

    @Test func `workers continue while an external server hangs`() throws {
        let results = try Mailbox<LoopMessage>(capacity: 16)
        let workers = try Workers(into: results)
        let done = try finished(
            beside: { token, recipient, body in
                if let recipient { workers.deliver(token, to: recipient, body) } else { workers.work(token, body) }
            }, results, seconds: 10)
        print("workers beside a server that hangs: \(done.count) of 2 jobs done")
        #expect(done == [3, 4])
        workers.stop()
    }

    /// The mutant: one thread for all jobs.
    @Test func `jobs on a shared thread wait for the one that hangs`() throws {
        let results = try Mailbox<LoopMessage>(capacity: 16)
        let workers = try Workers(into: results)
        let done = try finished(
            beside: { token, _, body in workers.work(token, body) }, results, seconds: 0.3)
        #expect(done.isEmpty)
        workers.stop()
    }
}
