import System
import Testing

@Suite("The epoll set")
struct EpollTests {
    @Test func `descriptors are reported by their numbers while they are readable`() throws {
        let set = try Epoll()
        let events = try (0..<100).map { _ in try EventFD() }
        for (number, event) in events.enumerated() { try set.add(event.descriptor, number: number) }
        #expect(try set.wait(milliseconds: 0) == [])

        events[7].signal()
        events[99].signal()
        #expect(try set.wait(milliseconds: 1000).sorted() == [7, 99])
        #expect(try set.wait(milliseconds: 1000).sorted() == [7, 99])

        events[7].drain()
        #expect(try set.wait(milliseconds: 1000) == [99])
    }

    @Test func `all ready descriptors are reported in turn if one wait cannot report them all`() throws {
        let set = try Epoll()
        let events = try (0..<100).map { _ in try EventFD() }
        for (number, event) in events.enumerated() {
            try set.add(event.descriptor, number: number)
            event.signal()
        }
        var reported: Set<Int> = []
        for _ in 0..<3 {
            for number in try set.wait(milliseconds: 1000) {
                reported.insert(number)
                events[number].drain()
            }
        }
        #expect(reported.count == 100)
    }

    @Test func `an invalid descriptor cannot be added`() throws {
        #expect(throws: SystemError.self) { try Epoll().add(-1, number: 0) }
    }
}
