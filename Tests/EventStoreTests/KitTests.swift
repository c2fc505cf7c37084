import EventSourcing
import TestKit
import Testing
import Vocabulary

/// A box that holds at most three things: a minimal decider.
private enum Box: Decider {
    enum Command { case put(Int), empty }
    enum Refusal: Error, Equatable { case full, nothingThere }
    struct DomainEvent: Equatable {
        var change: Int
    }

    static let initial = 0

    static func decide(_ command: Command, in state: Int) throws(Refusal) -> [DomainEvent] {
        switch command {
        case .put(let count):
            guard state + count <= 3 else { throw .full }
            return (0..<count).map { _ in DomainEvent(change: 1) }
        case .empty:
            guard state > 0 else { throw .nothingThere }
            return [DomainEvent(change: -state)]
        }
    }

    static func evolve(_ state: inout Int, with fact: DomainEvent) {
        state += fact.change
    }
}

@Suite("Test kit")
struct KitTests {
    @Test func `given, when and then check the decisions of a decider`() throws {
        let one = Box.DomainEvent(change: 1)
        try given(Box.self).when(.put(2)).then(one, one)
        try given(Box.self, [one, one]).when(.put(2)).refuses(.full)
        try given(Box.self, [one, one]).when(.empty).then(Box.DomainEvent(change: -2))
        #expect(try given(Box.self, [one]).when(.put(1)).decided().state == 2)
        #expect(throws: ContractBreach.self) { try given(Box.self).when(.put(2)).then(one) }
        #expect(throws: ContractBreach.self) { try given(Box.self).when(.put(9)).then(one) }
        #expect(throws: ContractBreach.self) { try given(Box.self).when(.put(9)).refuses(.nothingThere) }
        #expect(throws: ContractBreach.self) { try given(Box.self).when(.put(1)).refuses(.full) }
    }

    @Test func `the virtual clock changes only when a test sets or advances it`() {
        let clock = VirtualClock()
        let start = clock.now
        #expect(start.description == "2026-05-03T07:15:00.000000Z")
        #expect(clock.advance(bySeconds: 1.5).seconds(since: start) == 1.5)
        clock.advance(bySeconds: -10)
        #expect(clock.now < start)
        clock.set(to: start)
        #expect(clock.now == start)
    }

    @Test func `the seeded generator returns the published numbers of SplitMix64`() {
        // The first numbers of SplitMix64 for the seed 1234567, from its reference implementation.
        var random = SplitMix64(seed: 1_234_567)
        let first = (0..<3).map { _ in random.next() }
        #expect(first == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
