import Glibc
import TestKit
import Vocabulary

/// A room with beacons, as signals: the model by which ranging is judged. It was fixed before the algorithms were
/// tuned.
///
/// Free space within 1 m (exponent 2), 2.7 beyond; each link is shadowed by a normal 3 dB for as long as the reader
/// stands still; each packet fades by a normal 4 dB, every tenth by 12 dB more; tags differ by a normal 1.5 dB from the
/// power that they announce; a body takes 10 dB of half of the tags behind the reader, a wall 6 dB of those beyond 2.4
/// m; 5 % of the packets are lost, and those below −95 dBm. Tags advertise every 250 ms, a tenth of them every second.
struct BeaconHall {
    struct Tag {
        let name: String
        let power = -59
        let bias: Double
        let interval: Double
        var position: (x: Double, y: Double)
    }

    struct Packet {
        let tag: String
        let rssi: Int
        let power: Int
        let at: Instant
    }

    private var random: SplitMix64
    private(set) var tags: [Tag] = []
    static let start = Instant(microseconds: 1_800_000_000_000_000)

    init(seed: UInt64, positions: [(x: Double, y: Double)]) {
        random = SplitMix64(seed: seed)
        for (number, position) in positions.enumerated() {
            tags.append(
                Tag(
                    name: "tag-\(number)", bias: normal(1.5), interval: chance(0.1) ? 1 : 0.25, position: position))
        }
    }

    /// Returns what a reader receives that is at `reader(t)` after t seconds and looks in the direction of y, in the
    /// order of time. Shadowing changes with each half metre that the reader moves.
    mutating func packets(seconds: Double, reader: (Double) -> (x: Double, y: Double)) -> [Packet] {
        var packets: [Packet] = []
        for tag in tags {
            var shadow = normal(3)
            var isBlocked = chance(0.5)
            var stood = reader(0)
            var time = uniform(0...tag.interval)
            while time < seconds {
                let place = reader(time)
                if distance(place, stood) > 0.5 { (shadow, isBlocked, stood) = (normal(3), chance(0.5), place) }
                if let rssi = rssi(of: tag, at: place, shadow, isBlocked) {
                    let at = Self.start.advanced(bySeconds: time)
                    packets.append(Packet(tag: tag.name, rssi: rssi, power: tag.power, at: at))
                }
                time += tag.interval + uniform(0...0.01)
            }
        }
        return packets.sorted { $0.at < $1.at }
    }

    private mutating func rssi(
        of tag: Tag, at place: (x: Double, y: Double), _ shadow: Double, _ isBlocked: Bool
    ) -> Int? {
        guard !chance(0.05) else { return nil }
        let metres = max(0.03, distance(place, tag.position))
        var level = Double(tag.power) + tag.bias - 10 * (metres < 1 ? 2 : 2.7) * log10(metres) + shadow + normal(4)
        if chance(0.1) { level -= 12 }
        if tag.position.y < place.y - 0.05, isBlocked { level -= 10 }
        if metres > 2.4 { level -= 6 }
        return level < -95 ? nil : Int(level.rounded())
    }

    func distance(_ one: (x: Double, y: Double), _ other: (x: Double, y: Double)) -> Double {
        hypot(one.x - other.x, one.y - other.y)
    }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

    mutating func chance(_ probability: Double) -> Bool { uniform(0...1) < probability }

    /// Box and Muller's transform.
    private mutating func normal(_ deviation: Double) -> Double {
        deviation * (-2 * log(uniform(1e-12...1))).squareRoot() * cos(2 * .pi * uniform(0...1))
    }
}

/// The rules of Čizmar's paper: once a second the mean of each beacon, by the log-distance model; a queue of the last
/// six hits, more than three of them the same. A list scan has room for six hits of each beacon of the list.
struct PlainRule {
    private var sums: [String: (sum: Int, count: Int, power: Int)] = [:]
    private var queue: [String] = []
    private var second = 0
    private let metres: Double
    private let room: Int

    init(nearest: Bool, beacons: Int = 1) {
        metres = nearest ? 0.5 : 1
        room = 6 * (nearest ? 1 : beacons)
    }

    /// The beacons with more than three hits in the queue.
    var decided: Set<String> {
        var counts: [String: Int] = [:]
        for name in queue { counts[name, default: 0] += 1 }
        return Set(counts.filter { $0.value > 3 }.keys)
    }

    mutating func receive(_ packet: BeaconHall.Packet) {
        let now = Int(packet.at.seconds(since: BeaconHall.start))
        if now != second { close() }
        second = now
        let (sum, count, _) = sums[packet.tag] ?? (0, 0, 0)
        sums[packet.tag] = (sum + packet.rssi, count + 1, packet.power)
    }

    mutating func close() {
        for (name, (sum, count, power)) in sums.sorted(by: { $0.key < $1.key }) {
            let mean = Double(sum) / Double(count)
            guard pow(10, (Double(power) - mean) / 20) <= metres, metres > 0.5 || mean > -75 else { continue }
            queue.append(name)
            if queue.count > room { queue.removeFirst() }
        }
        sums = [:]
    }
}
