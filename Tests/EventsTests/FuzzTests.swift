import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Wire

@Suite("Bent bytes")
struct FuzzTests {
    private static let rounds = 50_000

    @Test func `never stop the reader, and what is read can be written and read again`() throws {
        let golden = Told.names.compactMap(Golden.bytes)
        try #require(golden.count == Told.names.count)
        var random = SplitMix64(seed: 20_260_503)
        var read = 0
        for _ in 0..<Self.rounds {
            var bytes = golden[Int.random(in: golden.indices, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.bend(&bytes, golden, &random) }
            guard let told = Self.told(bytes) else { continue }
            read += 1
            let again = EnvelopeCodec.write(told.envelope, told.fact.event)
            let second = try #require(Self.told(again), "\(String(decoding: again, as: UTF8.self))")
            #expect(EnvelopeCodec.write(second.envelope, second.fact.event) == again)
        }
        print("bent events: \(Self.rounds) read or refused, \(read) of them read")
        #expect(read > Self.rounds / 20)
        #expect(read < Self.rounds)
    }

    private static func told(_ bytes: [UInt8]) -> Told? {
        do {
            return try Told(reading: bytes)
        } catch {
            return nil
        }
    }

    private static let oddities = [
        "null", "0", "-1", "1e400", "-0.0", "18446744073709551616", "9223372036854775807", "-9223372036854775809",
        "1e-7",
        "\"\"", "[]", "{}", "true", "\"\\ud800\"", "\"\\u0000\"", "[[[[[[]]]]]]", "\"9999-12-31T23:59:59-23:59\"",
        "\"farm.furrow.trace.stored.v1\"", "\"store/a\"", "\"00000000000000\"",
    ]

    /// Changes the bytes somewhere: a bit, a byte, a piece, or a whole value.
    private static func bend(_ bytes: inout [UInt8], _ others: [[UInt8]], _ random: inout SplitMix64) {
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
            let other = others[Int.random(in: others.indices, using: &random)]
            bytes.replaceSubrange(place..., with: other.dropFirst(place))
        default:
            // The value behind the next colon becomes another one.
            guard let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")),
                let end = bytes[colon...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") })
            else { return }
            let value = oddities[Int.random(in: oddities.indices, using: &random)]
            bytes.replaceSubrange((colon + 1)..<end, with: Array(value.utf8))
        }
    }
}
