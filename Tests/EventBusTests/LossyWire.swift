import Foundation
import Synchronization
import TestKit
import ZeroMQ

/// A connection between a dialling and a bound socket that drops and duplicates messages in both directions.
final class LossyWire: Sendable {
    struct Tally: Sendable {
        var carried = 0
        var dropped = 0
        var doubled = 0
    }

    private let tally = Mutex(Tally())
    private let isCut = Atomic(false)
    private let ended = DispatchGroup()

    init(
        _ context: Context, from front: String, to back: String, dropping: Double, doubling: Double, seed: UInt64
    ) throws {
        let outside = try Socket(.router, in: context)
        try outside.bind(front)
        let inside = try Socket(.dealer, in: context)
        try inside.connect(back)
        let ends = Mutex((outside: outside, inside: inside))
        ended.enter()
        Thread(block: { [self] in
            defer { ended.leave() }
            ends.withLock { carry($0.outside, $0.inside, dropping, doubling, SplitMix64(seed: seed)) }
        }).start()
    }

    var counts: Tally { tally.withLock(\.self) }

    func cut() {
        isCut.store(true, ordering: .releasing)
        ended.wait()
    }

    private func carry(
        _ outside: Socket, _ inside: Socket, _ dropping: Double, _ doubling: Double, _ random: SplitMix64
    ) {
        var random = random
        var poller = Poller()
        _ = poller.add(outside)
        _ = poller.add(inside)
        var client: [UInt8] = []
        while !isCut.load(ordering: .acquiring) {
            do {
                _ = try poller.wait(milliseconds: 5)
                while let frames = try outside.receive() {
                    client = frames[0]
                    try pass(Array(frames.dropFirst()), to: inside, dropping, doubling, &random)
                }
                while let frames = try inside.receive() {
                    try pass([client] + frames, to: outside, dropping, doubling, &random)
                }
            } catch { return }
        }
    }

    private func pass(
        _ frames: [[UInt8]], to socket: Socket, _ dropping: Double, _ doubling: Double, _ random: inout SplitMix64
    ) throws {
        let luck = Double.random(in: 0..<1, using: &random)
        let copies = luck < dropping ? 0 : luck < dropping + doubling ? 2 : 1
        tally.withLock {
            $0.carried += 1
            $0.dropped += copies == 0 ? 1 : 0
            $0.doubled += copies == 2 ? 1 : 0
        }
        for _ in 0..<copies { try socket.send(frames) }
    }
}
