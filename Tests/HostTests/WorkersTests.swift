import Foundation
import System
import Testing

@testable import Host

@Suite("Workers")
struct WorkersTests {
    private typealias Start = (_ token: UInt64, _ recipient: String?, @escaping @Sendable () -> [UInt8]) -> Bool

    /// The mail server hangs with two letters; what is finished meanwhile of a payment and of a password hash. Then it
    /// goes on, and all is done.
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

    /// What is finished until there are so many, or real time is over.
    private func tokens(_ count: Int, from results: Mailbox<LoopMessage>, seconds: Double) throws -> Set<UInt64> {
        var tokens: Set<UInt64> = []
        let end = Date().addingTimeInterval(seconds)
        while tokens.count < count, Date() < end {
            _ = try Poll.wait([results.descriptor], milliseconds: 10)
            for case .finished(let token, _) in results.drain() { tokens.insert(token) }
        }
        return tokens
    }

    @Test func `go on while a server outside hangs`() throws {
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

    /// The mutant: one thread for everything.
    @Test func `wait behind what hangs where they share a thread`() throws {
        let results = try Mailbox<LoopMessage>(capacity: 16)
        let workers = try Workers(into: results)
        let done = try finished(
            beside: { token, _, body in workers.work(token, body) }, results, seconds: 0.3)
        #expect(done.isEmpty)
        workers.stop()
    }
}
