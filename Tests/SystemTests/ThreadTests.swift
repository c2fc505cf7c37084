import Glibc
import Synchronization
import System
import Testing

@Suite("Threads and events")
struct ThreadTests {
    @Test func `a worker thread runs under its name with signals blocked, and can be joined`() throws {
        let seen = Mutex<(name: String, blocked: String)>(("", ""))
        let worker = try Worker(name: "furrow-test-with-a-long-name") {
            let name = (try? File.read("/proc/thread-self/comm", limit: 100)) ?? []
            let blocked = (try? statusLine("SigBlk:", in: "/proc/thread-self/status")) ?? ""
            seen.withLock { $0 = (String(decoding: name, as: UTF8.self).trimmingEnd(), blocked) }
        }
        worker.join()
        worker.join()
        let (name, blocked) = seen.withLock { $0 }
        #expect(name == "furrow-test-wit")
        let mask = try #require(UInt64(blocked, radix: 16))
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE] { #expect(mask & (1 << UInt64(signal - 1)) != 0) }
        for signal in [SIGSEGV, SIGABRT, SIGILL] { #expect(mask & (1 << UInt64(signal - 1)) == 0) }
    }

    @Test func `a worker thread outlives the object that started it`() throws {
        let done = try EventFD()
        _ = try Worker(name: "left alone", stackBytes: 512 * 1024) { done.signal() }
        #expect(try Poll.wait([done.descriptor], milliseconds: 20_000) == [done.descriptor])
    }

    @Test func `a worker thread needs a stack size`() {
        #expect(throws: SystemError(code: EINVAL, operation: "pthread_attr_setstacksize")) {
            try Worker(name: "flat", stackBytes: 0) {}
        }
    }

    @Test func `an event descriptor becomes readable once for all signals`() throws {
        let event = try EventFD()
        #expect(event.drain() == 0)
        let workers = try (0..<4).map { _ in
            try Worker(name: "ringer") { for _ in 0..<250 { event.signal() } }
        }
        for worker in workers { worker.join() }
        #expect(try Poll.wait([event.descriptor], milliseconds: 0) == [event.descriptor])
        #expect(event.drain() == 1_000)
        #expect(try Poll.wait([event.descriptor], milliseconds: 0).isEmpty)
    }

    @Test func `a poll returns the ready descriptors and waits no longer than given`() throws {
        let (one, two) = (try EventFD(), try EventFD())
        let start = Clock.monotonicMicroseconds()
        #expect(try Poll.wait([one.descriptor, two.descriptor], milliseconds: 20).isEmpty)
        #expect(Clock.monotonicMicroseconds() - start >= 20_000)
        two.signal()
        #expect(try Poll.wait([one.descriptor, two.descriptor], milliseconds: -1) == [two.descriptor])
        #expect(try Poll.wait([], milliseconds: 0).isEmpty)
    }
}

@Suite("Mailboxes")
struct MailboxTests {
    @Test func `a mailbox delivers what many threads push, in the order of each thread and without loss`() throws {
        let (senders, each) = (4, 50_000)
        let mailbox = try Mailbox<(sender: Int, number: Int)>(capacity: 1_000)
        let refused = Atomic<Int>(0)
        let workers = try (0..<senders).map { sender in
            try Worker(name: "sender \(sender)") {
                for number in 0..<each {
                    while !mailbox.push((sender, number)) {
                        refused.add(1, ordering: .relaxed)
                        sched_yield()
                    }
                }
            }
        }
        var next = [Int](repeating: 0, count: senders)
        var batches = 0
        while next.reduce(0, +) < senders * each {
            try #require(try Poll.wait([mailbox.descriptor], milliseconds: 20_000) == [mailbox.descriptor])
            let batch = mailbox.drain()
            #expect(batch.count <= mailbox.capacity)
            for (sender, number) in batch {
                #expect(number == next[sender])
                next[sender] += 1
            }
            batches += 1
        }
        for worker in workers { worker.join() }
        #expect(mailbox.count == 0)
        let stops = refused.load(ordering: .relaxed)
        print("System: \(senders * each) letters in \(batches) batches, the mailbox full \(stops) times")
        #expect(next == [Int](repeating: each, count: senders))
    }

    @Test func `a full mailbox refuses elements, and signals once per batch`() throws {
        let mailbox = try Mailbox<Int>(capacity: 3)
        #expect(try Poll.wait([mailbox.descriptor], milliseconds: 0).isEmpty)
        #expect((0..<5).map { mailbox.push($0) } == [true, true, true, false, false])
        #expect(mailbox.count == 3)
        #expect(try Poll.wait([mailbox.descriptor], milliseconds: 0) == [mailbox.descriptor])
        #expect(mailbox.drain() == [0, 1, 2])
        #expect(try Poll.wait([mailbox.descriptor], milliseconds: 0).isEmpty)
        #expect(mailbox.drain().isEmpty)
        #expect(mailbox.push(9))
        #expect(mailbox.drain() == [9])
    }
}
