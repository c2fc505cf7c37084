import Testing
import Vocabulary

@testable import Radio

@Suite("A repeat")
struct RepeatTests {
    private let device = DeviceID("ble:c50dfa99cb9e")

    @Test func `of a sequence number is one for an hour`() {
        #expect(news([(0, 7, 1), (1, 7, 1), (3599, 7, 1)], .sequence) == [true, false, false])
        #expect(news([(0, 7, 1), (3601, 7, 1)], .sequence) == [true, true])
        #expect(news([(0, 7, 1), (1, 8, 1), (2, 7, 2)], .sequence) == [true, true, true])
    }

    @Test func `of a packet id is one for four seconds, as are ids that lie behind`() {
        #expect(news([(0, 10, 1), (1, 10, 1), (2, 9, 1), (3, 73, 1)], .packetID) == [true, false, false, true])
        #expect(news([(0, 10, 1), (1, 74, 1)], .packetID) == [true, false])
        #expect(news([(0, 250, 1), (1, 5, 1)], .packetID) == [true, true])
        #expect(news([(0, 10, 1), (4.5, 10, 1)], .packetID) == [true, true])
        // Copies that keep coming stay copies.
        #expect(
            news([(0, 10, 1), (3, 10, 1), (6, 10, 1), (9, 10, 1), (14, 10, 1)], .packetID).filter(\.self).count == 2)
    }

    @Test func `of a rising counter is one until the device begins anew`() {
        #expect(news([(0, 500, 1), (1, 500, 1), (2, 499, 1), (3, 501, 1)], .rising) == [true, false, false, true])
        #expect(news([(0, 500, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1)], .rising) == [true, true, false, true])
        #expect(news([(0, 500, 1), (3700, 400, 1)], .rising) == [true, true])
    }

    @Test func `of a transaction is one for ten seconds`() {
        #expect(news([(0, 79, 1), (9, 79, 1), (10.5, 79, 1)], .zigbee) == [true, false, true])
        #expect(news([(0, 79, 1), (1, 79, 2)], .zigbee) == [true, true])
    }

    @Test func `without a number is one for two seconds`() {
        #expect(news([(0, nil, 1), (1.9, nil, 1), (2.1, nil, 1)], .sequence) == [true, false, true])
        #expect(news([(0, nil, 1), (1, nil, 2)], .payload) == [true, true])
    }

    @Test func `that comes late is judged by its distance`() {
        #expect(news([(100, 79, 1), (95, 79, 1), (80, 79, 1)], .zigbee) == [true, false, true])
    }

    @Test func `is told from news after the clock was set back, and among what comes late`() {
        for rule in [RepeatRule.sequence, .packetID, .rising] {
            let packets: [(Double, UInt64?, UInt8)] = [(7200, 10, 1), (0, 11, 1), (1, 11, 1), (2, 12, 1), (3, 11, 1)]
            #expect(news(packets, rule) == [true, true, false, true, false], "\(rule)")
            // What was remembered of before is not forgotten over it.
            #expect(news(packets + [(7201, 10, 1)], rule).last == false, "\(rule)")
        }
        #expect(news([(100, 79, 1), (50, 80, 1), (51, 80, 1), (101, 79, 1)], .zigbee) == [true, true, false, false])
    }

    @Test func `of late is told however many come late after it`() {
        let live = (0..<32).map { (7200 + Double($0), UInt64($0), UInt8(1)) }
        let late = (0..<200).map { (Double($0), 1000 + UInt64($0), UInt8(1)) }
        #expect(news(live + late + live, .sequence).map { $0 ? 1 : 0 }.reduce(0, +) == 232)
    }

    @Test func `of another slot is one, of the same slot never`() {
        var memory = RepeatMemory()
        func counts(_ seconds: Double, _ number: UInt64, _ slot: Int, _ rule: RepeatRule = .sequence) -> Bool {
            let key = RepeatKey(device: device, rule: rule, counter: number, payload: [1])
            return memory.counts(key, at: Instant(microseconds: 0).advanced(bySeconds: seconds), by: slot)
        }
        #expect(counts(0, 7, 0) && !counts(5, 7, 1) && !counts(6, 7, 2) && counts(7, 7, 0))
        #expect(counts(0, 6, 1, .rising) && counts(1, 5, 0, .rising) && !counts(2, 5, 1, .rising))
        #expect(counts(3600, 7, 63) == false && counts(3608, 7, 63))
    }

    @Test func `is news again once the first was forgotten, and no other is`() {
        var memory = RepeatMemory()
        func counts(_ seconds: Double, _ number: UInt64, _ slot: Int) -> Bool {
            let key = RepeatKey(device: device, rule: .sequence, counter: number, payload: [1])
            return memory.counts(key, at: Instant(microseconds: 0).advanced(bySeconds: seconds), by: slot)
        }
        #expect(counts(10, 1, 0) && counts(20, 2, 0) && counts(5, 3, 0) && counts(10.002, 4, 0))
        memory.forget(through: Instant(microseconds: 10_001_000))
        #expect(!counts(20, 2, 1) && !counts(10.002, 4, 1))
        #expect(counts(10, 1, 1) && counts(5, 3, 1))
        memory.forget(through: Instant(microseconds: 20_000_999))
        #expect(memory.isEmpty)
    }

    @Test func `of another device is news`() {
        var filter = RepeatFilter()
        let key = RepeatKey(device: device, rule: .payload, counter: nil, payload: [1])
        var other = key
        other.device = DeviceID("ble:000000000001")
        let isNews = [key, other].map { filter.admits($0, at: Instant(microseconds: 0)) }
        #expect(isNews == [true, true])
    }

    @Test(arguments: 0..<64)
    func `is judged alike by a memory that went through text`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var memory = RepeatMemory()
        var time: Int64 = 1_700_000_000_000_000
        for _ in 0..<300 {
            let rule = try #require(RepeatRule.allCases.randomElement(using: &random))
            time += Int64.random(in: -1_000_000...4_000_000, using: &random)
            let key = RepeatKey(
                device: device, rule: rule,
                counter: Bool.random(using: &random) ? .random(in: 0..<300, using: &random) : nil,
                payload: [.random(in: 0..<4, using: &random)])
            var copy = try #require(RepeatMemory(text: memory.text))
            #expect(copy == memory)
            let instant = Instant(microseconds: time)
            let verdicts = [copy.admits(key, at: instant), memory.admits(key, at: instant)]
            #expect(verdicts[0] == verdicts[1])
            #expect(copy == memory)
            #expect(memory.text.utf8.count <= 64 * 19 * 4 / 3 + 4)
        }
    }

    @Test(arguments: ["*", "AA", "AQ", "BgAAAAAAAAAAAA", "AQAAAAAAAAAA"])
    func `memory is not read from other text`(_ text: String) {
        #expect(RepeatMemory(text: text) == nil)
        #expect(RepeatFilter(text: "ble:1\t" + text) == nil)
        #expect(RepeatFilter(text: text) == nil)
    }

    @Test func `filter forgets the longest silent when there are too many`() {
        var filter = RepeatFilter()
        var admitted = 0
        for number in 0..<UInt64(Limits.devices + 1) {
            let key = RepeatKey(device: .bluetooth(number), rule: .payload, counter: nil, payload: [])
            admitted += filter.admits(key, at: Instant(microseconds: Int64(number))) ? 1 : 0
        }
        #expect(admitted == Limits.devices + 1)
        #expect(filter.devices.count == Limits.devices / 2 + 1)
        #expect(filter[.bluetooth(0)] == nil)
        #expect(filter[.bluetooth(UInt64(Limits.devices))] != nil)
    }

    /// Whether each packet (seconds, counter, payload) is news, heard one after the other.
    private func news(_ packets: [(seconds: Double, counter: UInt64?, payload: UInt8)], _ rule: RepeatRule) -> [Bool] {
        var memory = RepeatMemory()
        return packets.map { packet in
            let key = RepeatKey(device: device, rule: rule, counter: packet.counter, payload: [packet.payload])
            return memory.admits(key, at: Instant(microseconds: 0).advanced(bySeconds: packet.seconds))
        }
    }
}

/// The same numbers for the same seed (SplitMix64).
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
