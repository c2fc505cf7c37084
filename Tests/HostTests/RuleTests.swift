import EventSourcing
import EventStore
import Events
import Host
import Testing
import Vocabulary

/// Rules 1 and 5 of ARCHITECTURE.md, as checks that the runtime passes and each of its mutants fails.
@Suite("Rules of the service runtime")
struct RuleTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    @Test func `the service runtime satisfies all rules`() throws {
        #expect(try breaches { try RuntimeDriver($0) } == [])
    }

    @Test(arguments: Mutant.allCases)
    func `each mutant of the service runtime breaks a rule`(mutant: Mutant) throws {
        let broken = try breaches { try MutantRuntime(mutant, $0) }
        print("\(mutant): \(broken)")
        #expect(broken.isEmpty == false)
    }

    /// Returns the broken rules, in words.
    private func breaches(_ make: (FailingLog) throws -> any Driver) throws -> [String] {
        var broken = try afterFailedSync(make)
        if try answersEarly(make) { broken.append("responses are sent before the events are on the disk") }
        if try dropsSilently(make) { broken.append("unreadable events are dropped silently") }
        if try overtakesParked(make) {
            broken.append("an event is applied although an earlier one of its stream is not")
        }
        return broken
    }

    private func answersEarly(_ make: (FailingLog) throws -> any Driver) throws -> Bool {
        let log = try FailingLog(at: now)
        let driver = try make(log)
        let reader = try log.reader()
        let before = try reader.head().position
        let early = try driver.take(ask, at: now)
        let isUnseen = try reader.head().position == before
        let late = try driver.commit()
        let isThere = try reader.head().position == before + 1
        return !(early.isEmpty && isUnseen && late.count == 1 && isThere)
    }

    private func afterFailedSync(_ make: (FailingLog) throws -> any Driver) throws -> [String] {
        let log = try FailingLog(at: now)
        let driver = try make(log)
        let reader = try log.reader()
        let before = try reader.head().position
        log.failures = 1
        var answers = try driver.take(ask, at: now).count
        do { answers += try driver.commit().count } catch is LogFailure {}
        let there = Int(try reader.head().position - before)
        return answers > there ? ["\(answers) answered after a failed sync, and \(there) there"] : []
    }

    private func dropsSilently(_ make: (FailingLog) throws -> any Driver) throws -> Bool {
        let log = try FailingLog(at: now)
        let driver = try make(log)
        let other = try MemoryLog(feed: "other/farm-0", why: "test", at: now)
        _ = try other.stage(Commit([CountingService.report("ble:07", 1)]), at: now)
        try other.commit()
        var entries = try other.reader().read(from: 1, events: 10, bytes: 100_000)
        entries.append(Entry(position: 3, hash: entries[1].hash, bytes: Array("{\"no\":\"event\"}".utf8)))
        try driver.consume(Page(head: other.head, entries: entries), at: now)
        _ = try driver.commit()
        let parked = try log.reader().read(from: 1, events: 100, bytes: 1_000_000).flatMap { entry in
            guard case .journal(.feedConsumed(let checkpointEvent)) = try RecordedEvent(reading: entry.bytes).fact
            else {
                return [Position]()
            }
            return checkpointEvent.parked.map(\.position)
        }
        return parked != [3]
    }

    /// Returns whether an event was applied before a parked one of its stream. The service reports the position of each
    /// applied event.
    private func overtakesParked(_ make: (FailingLog) throws -> any Driver) throws -> Bool {
        let log = try FailingLog(at: now)
        let driver = try make(log)
        let other = try MemoryLog(feed: "other/farm-0", why: "test", at: now)
        for (number, device) in ["ble:07", "ble:07", "ble:08", "ble:07"].enumerated() {
            _ = try other.stage(Commit([CountingService.report(device, number)]), at: now)
        }
        try other.commit()
        var entries = try other.reader().read(from: 1, events: 10, bytes: 100_000)
        // The first report of one device has an unknown type.
        let poison = String(decoding: entries[1].bytes, as: UTF8.self).replacing("measured.v1", with: "guessed.v1")
        entries[1] = Entry(position: 2, hash: entries[1].hash, bytes: Array(poison.utf8))
        try driver.consume(Page(head: other.head, entries: entries), at: now)
        _ = try driver.commit()
        let applied = try log.reader().read(from: 1, events: 100, bytes: 1_000_000).flatMap { entry in
            guard case .sensors(.measured(let report)) = try RecordedEvent(reading: entry.bytes).fact else {
                return [UInt64?]()
            }
            return [report.counter]
        }
        return applied.contains(3) || applied.contains(5)
    }

    private var ask: Request {
        Request(
            id: 1, verb: "count", body: Array("{}".utf8), actor: .service("test"), key: "a",
            entropy: Array(repeating: 0, count: 16))
    }
}
