import Host
import TestKit
import Vocabulary

/// Reports of many nodes at fixed intervals, received by two gateways with different clocks. One posts live and the
/// other its backlog at the end, or both post in any order.
struct Outage {
    /// One advertisement as posted by one gateway.
    struct Posted {
        let node: Int
        let number: Int
        let gateway: Int
        let at: Instant
        let hex: String

        var address: String { Outage.address(node) }
        var json: String {
            let colons = stride(from: 0, to: 12, by: 2).map { address.dropFirst($0).prefix(2) }.joined(separator: ":")
            return "{\"address\":\"\(colons)\",\"hex\":\"\(hex)\",\"rssi\":\(-50 - 10 * gateway),\"at\":\"\(at)\"}"
        }
    }

    let nodes: Int
    let reports: Int
    var interval = 600.0
    /// How far each gateway's clock is ahead, in seconds.
    var offsets = [-2.0, 2.0]
    var jitter = 0.2

    static func address(_ node: Int) -> String {
        let digits = String(node, radix: 16)
        return "c0ffee" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// A quarter of the nodes has no counter and constant values, a quarter has 8-bit counters, half have 16-bit
    /// counters.
    static func hex(_ node: Int, _ number: Int) -> String {
        switch node % 4 {
        case 0: return "0916d2fc40016402ca09"
        case 1: return "0916d2fc4000" + byte(number) + "02ca09"
        default:
            let raw = node % 4 == 2 ? 4000 : 4000 + number % 7
            return "0201061bff990405" + byte(raw >> 8) + byte(raw) + "ffffffff800080008000ffffff"
                + byte(number >> 8) + byte(number) + address(node)
        }
    }

    private static func byte(_ value: Int) -> String { Hex.encode([UInt8(truncatingIfNeeded: value)]) }

    /// Returns what one gateway receives, in order of time.
    func heard(by gateway: Int, from begin: Instant, _ random: inout SplitMix64) -> [Posted] {
        (0..<reports).flatMap { number in
            (0..<nodes).map { node in
                let noise = Double(random.next() % 2001) / 1000 - 1
                let seconds = Double(number) * interval + Double(node) + offsets[gateway] + noise * jitter
                return Posted(
                    node: node, number: number, gateway: gateway, at: begin.advanced(bySeconds: seconds),
                    hex: Self.hex(node, number))
            }
        }
    }

    /// Returns the reports of one gateway in batches.
    static func batches(_ posted: [Posted], of size: Int = 500) -> [[Posted]] {
        stride(from: 0, to: posted.count, by: size).map { Array(posted[$0..<min($0 + size, posted.count)]) }
    }

    static func body(_ batch: [Posted]) -> String {
        let adverts = batch.map(\.json).joined(separator: ",")
        return "{\"source\":\"gateway/g\(batch[0].gateway)\",\"adverts\":[\(adverts)]}"
    }
}
