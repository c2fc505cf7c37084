import Radio
import TestKit
import Testing
import Vocabulary

@Suite("Ranging of beacons")
struct RangingTests {
    private static let trials = 400

    /// A shelf of six columns and five rows, 0.8 m apart; y is the direction in which the reader looks.
    private static let grid = (0..<30).map { (x: Double($0 % 6) * 0.8, y: Double($0 / 6) * 0.8) }

    @Test("The tag that is held to the reader is decided within six seconds and more reliably than by the plain rule")
    func nearest() {
        var ours = Outcome()
        var plain = Outcome()
        for trial in 0..<Self.trials {
            var hall = BeaconHall(seed: 3_000 + UInt64(trial), positions: Self.grid)
            let held = trial % 30
            let metres = hall.uniform(0.05...0.3)
            let angle = hall.uniform(0...1) * .pi
            let tag = Self.grid[held]
            let place = (x: tag.x + metres * (2 * angle / .pi - 1), y: tag.y - metres * 0.5)
            let packets = hall.packets(seconds: 6.5) { _ in place }
            ours.note(decision(packets), "tag-\(held)")
            var rule = PlainRule(nearest: true)
            var first: String?
            for packet in packets where first == nil {
                rule.receive(packet)
                first = rule.decided.min()
            }
            plain.note(first, "tag-\(held)")
        }
        print("nearest of 30 in 6 s, \(Self.trials) trials: ours \(ours), plain rule \(plain)")
        #expect(ours.wrong * 100 <= Self.trials)
        #expect(ours.right * 100 >= 94 * Self.trials)
        #expect(ours.wrong <= plain.wrong && ours.right >= plain.right)
    }

    @Test("A list scan finds at least 99 of 100 present tags within six seconds", arguments: [30, 200])
    func listScan(tags: Int) {
        var (present, found, plainFound) = (0, 0, 0)
        for trial in 0..<Self.trials * 30 / tags / 4 {
            var hall = BeaconHall(seed: 7_000 + UInt64(trial), positions: Self.ring(trial, of: tags))
            let packets = hall.packets(seconds: 6.5) { _ in (0, 0) }
            var ranging = BeaconRanging()
            var rule = PlainRule(nearest: false, beacons: tags)
            for packet in packets {
                ranging.receive(packet)
                rule.receive(packet)
            }
            ranging.advance(to: BeaconHall.start.advanced(bySeconds: 6.5))
            let decided = ranging.beacons(at: BeaconHall.start.advanced(bySeconds: 6.5)).filter(\.isFound)
            present += hall.tags.count
            found += decided.count
            plainFound += rule.decided.count
        }
        print("list scan of \(tags) in 6 s: \(found) of \(present) found; plain rule \(plainFound)")
        #expect(found * 100 >= 99 * present)
        #expect(found >= plainFound)
    }

    /// Tags in front of the reader, 0.2 to 0.5 m from it.
    private static func ring(_ trial: Int, of tags: Int) -> [(x: Double, y: Double)] {
        var random = SplitMix64(seed: UInt64(trial))
        return (0..<tags).map { _ in
            let metres = Double.random(in: 0.2...0.5, using: &random)
            let x = Double.random(in: -0.8...0.8, using: &random) * metres
            return (x, (metres * metres - x * x).squareRoot())
        }
    }

    @Test("A reader that walks along a shelf finds at least 99 of 100 tags")
    func walk() {
        var (present, found, plainFound) = (0, 0, 0)
        for trial in 0..<Self.trials / 8 {
            let shelf = (0..<30).map { (x: Double($0) * 0.4, y: 0.4) }
            var hall = BeaconHall(seed: 9_000 + UInt64(trial), positions: shelf)
            let packets = hall.packets(seconds: 64) { time in (x: time * 0.2 - 0.4, y: 0) }
            var ranging = BeaconRanging()
            var rule = PlainRule(nearest: false, beacons: 30)
            var seen: Set<String> = []
            var plainSeen: Set<String> = []
            var shown = BeaconHall.start
            for packet in packets {
                ranging.receive(packet)
                rule.receive(packet)
                plainSeen.formUnion(rule.decided)
                guard packet.at.seconds(since: shown) >= 1 else { continue }
                shown = packet.at
                seen.formUnion(ranging.beacons(at: shown).filter(\.isFound).map(\.beacon))
            }
            present += 30
            found += seen.count
            plainFound += plainSeen.count
        }
        print(
            "walk along 12 m of shelf with 30 tags at 0.2 m/s: \(found) of \(present) found; plain rule \(plainFound)")
        #expect(found * 100 >= 99 * present)
        #expect(found >= plainFound)
    }

    @Test("A tag beyond half a metre, or as near as another one, is not the nearest")
    func undecided() {
        var far = BeaconRanging()
        var two = BeaconRanging()
        for second in 0..<40 {
            let time = BeaconHall.start.advanced(bySeconds: Double(second) / 4)
            far.receive("a", rssi: -57, power: -59, at: time)
            two.receive("a", rssi: -45, power: -59, at: time)
            two.receive("b", rssi: -46, power: -59, at: time)
        }
        #expect(far.nearest == nil && two.nearest == nil)
        #expect(two.beacons(at: BeaconHall.start.advanced(bySeconds: 9.9)).map(\.beacon) == ["a", "b"])
    }

    @Test("A tag that is taken away is no longer the nearest after six seconds, and is forgotten")
    func leaves() {
        var ranging = BeaconRanging()
        for number in 0..<24 {
            ranging.receive("a", rssi: -40, power: -59, at: BeaconHall.start.advanced(bySeconds: Double(number) / 4))
        }
        #expect(ranging.nearest == "a")
        ranging.advance(to: BeaconHall.start.advanced(bySeconds: 9.5))
        #expect(ranging.nearest == nil)
        ranging.advance(to: BeaconHall.start.advanced(bySeconds: 13.5))
        #expect(ranging.isEmpty)
    }

    @Test("Thousands of addresses that are used once displace no beacon that is there")
    func crowd() {
        var ranging = BeaconRanging()
        for number in 0..<24_000 {
            let time = BeaconHall.start.advanced(bySeconds: Double(number) / 4_000)
            if number.isMultiple(of: 1000) { ranging.receive("held", rssi: -42, power: -59, at: time) }
            ranging.receive("ble:\(number)", rssi: -80, power: nil, at: time)
        }
        #expect(ranging.nearest == "held")
        let shown = ranging.beacons(at: BeaconHall.start.advanced(bySeconds: 6))
        #expect(shown.count > 1 && shown.count <= RangingLimits.beacons)
        #expect(shown.allSatisfy { ($0.proximity == .unknown) == ($0.beacon != "held") })
    }

    @Test("Proximity has the steps of iOS, at half a metre and three metres")
    func proximity() {
        #expect(
            [0.1, 0.5, 0.51, 3, 3.1].map { Proximity(metres: $0) } == [.immediate, .immediate, .near, .near, .far])
    }

    /// Returns the first decision that a page would show, which looks once a second.
    private func decision(_ packets: [BeaconHall.Packet]) -> String? {
        var ranging = BeaconRanging()
        for packet in packets {
            ranging.receive(packet)
            if let nearest = ranging.nearest { return nearest }
        }
        return nil
    }
}

private struct Outcome: CustomStringConvertible {
    var right = 0
    var wrong = 0
    var none = 0

    mutating func note(_ decision: String?, _ truth: String) {
        switch decision {
        case truth: right += 1
        case nil: none += 1
        default: wrong += 1
        }
    }

    var description: String { "\(right) right, \(wrong) wrong, \(none) undecided" }
}

extension BeaconRanging {
    fileprivate mutating func receive(_ packet: BeaconHall.Packet) {
        receive(packet.tag, rssi: packet.rssi, power: packet.power, at: packet.at)
    }
}
