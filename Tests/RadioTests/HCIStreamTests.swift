import Testing
import Vocabulary

@testable import Radio

@Suite("Parsing of HCI streams")
struct HCIStreamTests {
    private static let captures = ["captures/ruuvi-hcidump-2.x.btsnoop", "captures/ruuvi-hcidump-3.x.btsnoop"]

    /// Returns an advertising report with this data.
    private func packet(_ data: [UInt8], _ number: UInt8 = 1) -> [UInt8] {
        [4, 0x3E, UInt8(data.count + 12), 2, 1, 3, 1, number, 2, 3, 4, 5, 6, UInt8(data.count)] + data + [0xC4]
    }

    @Test(arguments: captures)
    func `an HCI stream in H4 or btsnoop gives the packets of the file, however it is split`(_ name: String) throws {
        guard let file = Vectors.bytes(name) else { return }
        let frames = try Capture.read(file)
        let h4 = frames.flatMap(\.bytes)
        for size in [1, 7, 64, 4096, 1 << 20] {
            for (bytes, isTimed) in [(h4, false), (file, true)] {
                var stream = HCIStream()
                var packets: [HCIStream.Packet] = []
                for start in stride(from: 0, to: bytes.count, by: size) {
                    packets += stream.feed(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                #expect(packets.map(\.bytes) == frames.map(\.bytes), "\(size)")
                #expect(packets.map(\.time) == frames.map { isTimed ? $0.time : nil })
                #expect(!stream.hasNoise && !stream.isInsidePacket)
            }
        }
        print("hci stream: \(frames.count) packets of \(name), H4 and btsnoop, in 5 splits")
        #expect(frames.count > 300)
    }

    @Test func `the stream parser distinguishes noise from packets`() {
        var stream = HCIStream()
        let whole = packet([2, 1, 6])
        let packets = stream.feed([0x00, 0x99, 4, 0x70] + whole + [0xFF] + whole)
        #expect(packets.map(\.bytes) == [whole, whole])
        let (bytes, count) = stream.takeNoise()
        #expect(bytes == [0x00, 0x99, 4, 0x70, 0xFF] && count == 5 && !stream.hasNoise)
    }

    @Test func `the stream parser abandons a false length after a silence`() {
        var stream = HCIStream()
        let whole = packet([2, 1, 6])
        // The header of a command of 255 bytes that does not exist.
        #expect(stream.feed([1, 0, 0, 255] + whole + whole).isEmpty)
        #expect(stream.isInsidePacket)
        #expect(stream.reset().map(\.bytes) == [whole, whole])
        #expect(stream.takeNoise().count == 4)
    }

    @Test func `the stream parser continues when its writer starts a new file, and waits for a slow one`() throws {
        guard let file = Vectors.bytes(Self.captures[0]) else { return }
        let count = try Capture.read(file).count
        var stream = HCIStream()
        #expect(stream.feed(file).count == count)
        #expect(stream.feed(Array(file.prefix(20))).isEmpty)
        #expect(!stream.isInsidePacket)
        #expect(stream.feed(Array(file.dropFirst(20))).count == count)
        #expect(!stream.hasNoise)
    }

    @Test(arguments: 0..<64)
    func `the stream parser never traps and loses nothing but noise`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var stream = HCIStream()
        var given = 0
        var told = 0
        for _ in 0..<200 {
            var bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes += packet([2, 1, 6]) }
            given += bytes.count
            told += stream.feed(bytes).reduce(0) { $0 + $1.bytes.count }
        }
        told += stream.reset().reduce(0) { $0 + $1.bytes.count }
        #expect(told + stream.takeNoise().count == given)
    }
}
