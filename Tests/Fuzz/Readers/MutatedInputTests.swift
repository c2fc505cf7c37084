import EventSourcing
import EventStore
import Foundation
import TestKit
import Testing

@Suite("Mutated inputs", .timeLimit(.minutes(10)))
struct MutatedInputTests {
    private static let rounds = 100_000

    /// `MutationTests` mutates the inputs of the radio readers.
    @Test(arguments: [Target.events, .json, .frames, .segments, .central, .requests, .pictures, .nodes])
    func `mutated inputs never crash a reader, and what is read is written without a change`(_ target: Target) throws {
        var mutator = try InputMutator(target)
        let clock = ContinuousClock()
        var longest = Duration.zero
        for _ in 0..<Self.rounds {
            let bytes = mutator.next()
            let began = clock.now
            target.read(bytes)
            longest = max(longest, clock.now - began)
        }
        print("mutated \(target): \(Self.rounds) inputs of \(mutator.seeds.count) seeds, the longest took \(longest)")
        #expect(mutator.seeds.count >= 20)
    }

    /// The mutant trusts the length in a page.
    @Test func `mutated inputs crash a reader without a bounds check`() async {
        await #expect(processExitsWith: .failure) {
            var mutator = try InputMutator(.mutant)
            for _ in 0..<100_000 { Target.mutant.read(mutator.next()) }
        }
    }
}

/// Valid inputs with one to three mutations.
private struct InputMutator {
    let seeds: [[UInt8]]
    private var random = SplitMix64(seed: 20)

    init(_ target: Target) throws {
        seeds = try target.seeds()
    }

    mutating func next() -> [UInt8] {
        var bytes = seeds[Int.random(in: seeds.indices, using: &random)]
        for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&bytes) }
        return bytes
    }

    private static let oddities = [
        "null", "0", "-1", "1e400", "-0.0", "18446744073709551616", "-9223372036854775809", "\"\"", "[]", "{}",
        "\"\\ud800\"", "\"\\u0000\"", "[[[[[[]]]]]]", "\"9999-12-31T23:59:59-23:59\"", "\"store/a\"",
    ]

    /// Mutates the bytes at a random place: a bit, a byte, a range, or a whole value.
    private mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.insert(contentsOf: bytes[place..<min(place + 40, bytes.count)], at: place)
        case 6:
            let other = seeds[Int.random(in: seeds.indices, using: &random)]
            bytes.replaceSubrange(place..., with: other.dropFirst(place))
        default:
            // Replaces the value after the next colon.
            guard let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")),
                let end = bytes[colon...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") })
            else { return }
            let value = Self.oddities[Int.random(in: Self.oddities.indices, using: &random)]
            bytes.replaceSubrange((colon + 1)..<end, with: Array(value.utf8))
        }
    }
}
