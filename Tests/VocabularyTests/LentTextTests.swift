import TestKit
import Testing
import Vocabulary

@Suite("Reading borrowed text")
struct LentTextTests {
    /// Returns the text, and the text with one byte changed.
    private func spellings(_ text: String, _ chance: inout SplitMix64) -> [String] {
        var bytes = Array(text.utf8)
        let alphabet = Array("0123456789abcdefABCDEFGTZ-:.+ ".utf8)
        bytes[Int.random(in: bytes.indices, using: &chance)] = alphabet.randomElement(using: &chance) ?? 48
        return [text, String(decoding: bytes, as: UTF8.self)]
    }

    @Test func `an instant is read from borrowed bytes exactly as from a text`() {
        var chance = SplitMix64(seed: 11)
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            let micros = Int64.random(in: -62_167_219_200_000_000...253_402_300_799_999_999, using: &chance)
            let instant = Instant(microseconds: micros)
            for text in spellings(instant.description, &chance) {
                let lent = Instant(utf8: text.utf8.span)
                #expect(lent == Instant(text), "\(text)")
                if lent == nil { refused += 1 } else { read += 1 }
            }
            #expect(Instant(instant.description) == instant)
        }
        print("instants: \(read) read the same, \(refused) refused the same")
        #expect(read > 20_000 && refused > 5_000)
    }

    @Test func `a UUID is read from borrowed bytes exactly as from a text`() {
        var chance = SplitMix64(seed: 12)
        var (read, refused) = (0, 0)
        for _ in 0..<5_000 {
            let bytes = chance.bytes(16)
            let id = UUID(bytes: bytes)
            #expect(id.bytes == bytes)
            #expect(id.description.filter { $0 != "-" } == Hex.encode(bytes))
            for text in spellings(id.description, &chance) {
                let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                let isSound = parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
                let expected = isSound ? Hex.decode(parts.joined()).map { UUID(bytes: $0) } : nil
                #expect(UUID(text) == expected, "\(text)")
                if expected == nil { refused += 1 } else { read += 1 }
            }
        }
        print("names: \(read) read, \(refused) refused")
        #expect(read > 5_000 && refused > 1_000)
    }

    @Test func `marking a UUID changes only the bits of version and variant`() {
        var chance = SplitMix64(seed: 13)
        for version in UInt8(1)...8 {
            var bytes = chance.bytes(16)
            let marked = UUID(bytes: bytes).marked(version: version).bytes
            bytes[6] = bytes[6] & 0x0F | version << 4
            bytes[8] = bytes[8] & 0x3F | 0x80
            #expect(marked == bytes)
            let random = chance.bytes(10)
            let timed = UUID.timed(Instant(microseconds: 1_780_000_000_123_456), random: random).bytes
            #expect(Array(timed[..<6]) == [0x01, 0x9E, 0x70, 0x44, 0x88, 0x7B])
            #expect(timed[6] == random[0] & 0x0F | 0x70 && timed[7] == random[1])
            #expect(timed[8] == random[2] & 0x3F | 0x80 && Array(timed[9...]) == Array(random[3...]))
        }
    }
}
