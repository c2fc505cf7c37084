import Testing
import Vocabulary

@testable import Radio

@Suite("Repetitions of reports")
struct RepeatTests {
    private let device = DeviceID("ble:c50dfa99cb9e")

    @Test func `a long counter repeats for half the time that the device needs to reach it again`() {
        // 500 reports ten seconds apart: number 500 cannot recur within 5,000 s, number 1 can after ten.
        let reports = (1...500).map { (Double($0) * 10, UInt64?(UInt64($0)), UInt8(1)) }
        let verdicts = new(reports, .sequence)
        #expect(verdicts.filter(\.self).count == 500)
        #expect(new(reports + [(5000 + 1500, 500, 1)], .sequence).last == false)
        #expect(new(reports + [(5000 + 1900, 500, 1)], .sequence).last == true)
        #expect(new(reports + [(5010, 1, 1), (5020, 2, 1)], .sequence).suffix(2) == [true, true])
        #expect(new([(0, 7, 1), (1, 8, 1), (2, 7, 2)], .sequence) == [true, true, true])
    }

    @Test func `a packet id repeats while copies keep arriving`() {
        #expect(new([(0, 10, 1), (1, 10, 1), (2, 9, 1), (3, 73, 1)], .packetID) == [true, false, true, true])
        #expect(new([(0, 250, 1), (1, 5, 1)], .packetID) == [true, true])
        #expect(new([(0, 10, 1), (4.5, 10, 1)], .packetID) == [true, true])
        #expect(
            new([(0, 10, 1), (3, 10, 1), (6, 10, 1), (9, 10, 1), (14, 10, 1)], .packetID).filter(\.self).count == 2)
    }

    @Test func `a transaction number repeats for ten seconds`() {
        #expect(new([(0, 79, 1), (9, 79, 1), (10.5, 79, 1)], .zigbee) == [true, false, true])
        #expect(new([(0, 79, 1), (1, 79, 2)], .zigbee) == [true, true])
    }

    @Test func `a report without a number repeats for two seconds at one receiver`() {
        #expect(new([(0, nil, 1), (1.9, nil, 1), (2.1, nil, 1)], .sequence) == [true, false, true])
        #expect(new([(0, nil, 1), (1, nil, 2)], .payload) == [true, true])
    }

    @Test func `a report without a number repeats at a second receiver within half the interval`() {
        var filter = RepeatFilter()
        func isNew(_ seconds: Double, _ source: String) -> Bool {
            let key = RepeatKey(device: device, rule: .payload, counter: nil, payload: [1])
            return filter.admits(key, at: Instant(microseconds: 0).advanced(bySeconds: seconds), by: source)
        }
        // Seven reports twenty seconds apart, of which the first receiver missed one.
        let first = (0..<7).filter { $0 != 3 }.map { isNew(1000 + Double($0) * 20, "a") }
        #expect(first == Array(repeating: true, count: 6))
        let second = (0..<7).map { isNew(1009 + Double($0) * 20, "b") }
        #expect(second == [false, false, false, true, false, false, false])
        let again = (0..<7).map { isNew(1009 + Double($0) * 20, "b") }
        #expect(again == Array(repeating: false, count: 7))
    }

    @Test func `a recorded report is a copy of another slot's report, never of its own slot's`() {
        var filter = RepeatFilter()
        func isNew(_ seconds: Double, _ number: UInt64, _ slot: Int, _ rule: RepeatRule = .sequence) -> Bool {
            let key = RepeatKey(device: device, rule: rule, counter: number, payload: [1])
            let time = Instant(microseconds: 0).advanced(bySeconds: seconds)
            let reception = Reception(Receiver("a", slot: slot), at: time)
            guard let match = filter.find(key, reception, isRecorded: true) else {
                filter.record(key, reception)
                return true
            }
            filter.record(reception, of: match, device)
            return false
        }
        #expect(isNew(0, 7, 0) && !isNew(5, 7, 1) && !isNew(6, 7, 2) && isNew(7, 7, 0))
        #expect(isNew(0, 6, 1, .rising) && isNew(1, 5, 0, .rising) && !isNew(2, 5, 1, .rising))
    }

    @Test func `an equal report of another device is no repetition`() {
        var filter = RepeatFilter()
        let key = RepeatKey(device: device, rule: .payload, counter: nil, payload: [1])
        var other = key
        other.device = DeviceID("ble:000000000001")
        let isNew = [key, other].map { filter.admits($0, at: Instant(microseconds: 0)) }
        #expect(isNew == [true, true])
    }

    @Test(arguments: 0..<64)
    func `a window that was written as text and read back decides as before`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var filter = RepeatFilter()
        var time: Int64 = 1_700_000_000_000_000
        for _ in 0..<300 {
            let rule = try #require(RepeatRule.allCases.randomElement(using: &random))
            time += Int64.random(in: -1_000_000...4_000_000, using: &random)
            let key = RepeatKey(
                device: device, rule: rule,
                counter: Bool.random(using: &random) ? .random(in: 0..<300, using: &random) : nil,
                payload: [.random(in: 0..<4, using: &random)])
            let source = "gateway/\(Int.random(in: 0..<3, using: &random))"
            _ = filter.admits(key, at: Instant(microseconds: time), by: source)
            let number = RepeatFilter.number(of: Instant(microseconds: time))
            let window = try #require(filter.window(number, of: device) ?? filter.window(number - 1, of: device))
            let copy = try #require(ReportWindow(text: window.text))
            #expect(copy == window)
            #expect(window.text.utf8.count <= window.count * 40 + 64)
        }
    }

    @Test(arguments: ["*", "AA==", "_____w", "AQ", "AAkB", "AQEBAQEBAQEBAQEBAQE"])
    func `a window is not read from invalid text`(_ text: String) {
        #expect(ReportWindow(text: text) == nil)
    }

    @Test func `a full filter drops the oldest windows`() {
        var filter = RepeatFilter(most: 1000)
        for number in 0..<UInt64(1001) {
            let key = RepeatKey(device: .bluetooth(number), rule: .payload, counter: nil, payload: [])
            let isNew = filter.admits(key, at: Instant(microseconds: Int64(number) * 3_600_000_000))
            #expect(isNew)
        }
        #expect(filter.count == 501)
        #expect(filter.window(0, of: .bluetooth(0)) == nil)
        #expect(filter.window(2000, of: .bluetooth(1000)) != nil)
    }

    /// Returns whether each packet (seconds, counter, payload) is new, received one after the other by one receiver.
    private func new(_ packets: [(seconds: Double, counter: UInt64?, payload: UInt8)], _ rule: RepeatRule) -> [Bool] {
        var filter = RepeatFilter()
        return packets.map { packet in
            let key = RepeatKey(device: device, rule: rule, counter: packet.counter, payload: [packet.payload])
            return filter.admits(key, at: Instant(microseconds: 0).advanced(bySeconds: packet.seconds))
        }
    }
}

/// A generator of the same numbers for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
