import Testing
import Zstd

@Suite("Compressed frames")
struct FrameTests {
    private let text = Array(String(repeating: "{\"quantity\":\"temperature\",\"value\":21.5}\n", count: 500).utf8)

    private func pack(_ bytes: [UInt8], level: Int = 9) throws -> [UInt8] {
        var compressor = try Compressor(level: level)
        return try compressor.compress(bytes)
    }

    private func unpack(_ frame: [UInt8], count: Int) throws -> [UInt8] {
        var decompressor = try Decompressor()
        return try decompressor.decompress(frame, count: count)
    }

    @Test func `decompression returns the original bytes, and compression is deterministic`() throws {
        for bytes in [[], [0], text, (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }] {
            for level in [1, 9, 19] {
                let frame = try pack(bytes, level: level)
                #expect(try unpack(frame, count: bytes.count) == bytes)
                #expect(try pack(bytes, level: level) == frame)
            }
        }
        #expect(try pack(text).count * 50 < text.count)
    }

    @Test func `a frame with another length, trailing bytes or a missing end is refused`() throws {
        let frame = try pack(text)
        var refused = 0
        for wrong in [text.count - 1, text.count + 1, 0, ZstdLimits.frameBytes + 1, -1] {
            #expect(throws: ZstdError.self) { try unpack(frame, count: wrong) }
            refused += 1
        }
        for end in 0..<frame.count {
            #expect(throws: ZstdError.self) { try unpack(Array(frame.prefix(end)), count: text.count) }
            refused += 1
        }
        #expect(throws: ZstdError.self) { try unpack(frame + [0], count: text.count) }
        #expect(throws: ZstdError.self) { try unpack(frame + frame, count: text.count * 2) }
        print("frames: \(refused + 2) refused")
        #expect(refused >= 40)
    }

    @Test func `an invalid compression level and too large an input are refused`() {
        #expect(throws: ZstdError.self) { _ = try Compressor(level: 0) }
        #expect(throws: ZstdError.self) { _ = try Compressor(level: 23) }
        let large = [UInt8](repeating: 0, count: ZstdLimits.frameBytes + 1)
        #expect(throws: ZstdError.self) { _ = try pack(large, level: 1) }
    }
}
