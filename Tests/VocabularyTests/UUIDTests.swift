import TestKit
import Testing
import Vocabulary

@Suite("UUIDs")
struct UUIDTests {
    @Test func `a UUID of version 7 is the one published in RFC 9562`() throws {
        // RFC 9562, appendix A.6: 2022-02-22T14:22:22-05:00, random bits 0xCC3 and 0x18C4DC0C0C07398F.
        let instant = try #require(Instant("2022-02-22T14:22:22-05:00"))
        let random: [UInt8] = [0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
        #expect(UUID.timed(instant, random: random).description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test func `a UUID of version 5 is the one published in RFC 9562`() {
        // RFC 9562, appendix A.4: SHA-1 of the DNS namespace and "www.example.com".
        let hash: [UInt8] = [
            0x2E, 0xD6, 0x65, 0x7D, 0xE9, 0x27, 0x46, 0x8B, 0x55, 0xE1, 0x26, 0x65, 0xA8, 0xAE, 0xA6, 0xA2, 0x2D, 0xEE,
            0x3E, 0x35,
        ]
        #expect(UUID(bytes: hash).marked(version: 5).description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    @Test func `UUIDs of later times sort later, whatever their random bits`() {
        var random = SplitMix64(seed: 7)
        var last = ""
        for millisecond in 0..<1000 {
            let id = UUID.timed(Instant(microseconds: Int64(millisecond) * 1000), random: random.bytes(10)).description
            #expect(id > last)
            last = id
        }
    }

    @Test func `random UUIDs are read from their text and bytes without a change`() {
        var random = SplitMix64(seed: 128)
        for _ in 0..<1000 {
            let id = UUID(bytes: random.bytes(16))
            #expect(UUID(id.description) == id)
            #expect(UUID(id.description.uppercased()) == id)
            #expect(UUID(bytes: id.bytes) == id)
        }
    }

    @Test(arguments: [
        "", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "017f22e2-79b0-7cc3-98c4dc0c0c07398f-",
        "017f22e2--79b0-7cc3-98c4-dc0c0c07398f",
    ])
    func `any other text is refused`(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test func `a time before 1970 gives the UUID of 1970`() {
        #expect(UUID.timed(Instant(microseconds: -1), random: []).description == "00000000-0000-7000-8000-000000000000")
    }
}
