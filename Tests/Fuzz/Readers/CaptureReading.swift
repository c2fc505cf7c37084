import Vocabulary

@testable import Radio

/// A capture file, btsnoop or pcap, and its frames.
enum CaptureReading {
    static func read(_ bytes: [UInt8]) {
        var decoder = CaptureDecoder()
        var memory = RadioMemory()
        do throws(Malformed) {
            for frame in try Capture.read(bytes) { memory.take(decoder.decode(frame), at: frame.time) }
        } catch { return }
    }

    /// Returns the recorded captures, whole and truncated, and files of one frame.
    static func seeds() -> [[UInt8]] {
        var seeds: [[UInt8]] = [BTSnoop.magic + [0, 0, 0, 1, 0, 0, 3, 0xEA], BTSnoop.magic]
        for name in [
            "ruuvi-hcidump-3.x.btsnoop", "ruuvi-hcidump-2.x.btsnoop", "control4-sample.pcap", "zcl-generated.pcap",
        ] {
            let bytes = Recordings.bytes("captures/" + name)
            guard !bytes.isEmpty else { continue }
            seeds += [500, 2_000, 6_000, 22_000].map { Array(bytes.prefix($0)) }
        }
        return seeds + bare() + pcaps()
    }

    /// Returns a file for each data link of btsnoop and each record type.
    private static func bare() -> [[UInt8]] {
        var files: [[UInt8]] = []
        for (link, flags) in [
            (1001, 0), (1001, 2), (1001, 3), (1002, 0), (2001, 2), (2001, 3), (2001, 5), (2001, 7), (2001, 18),
            (2001, 9), (9, 0),
        ] {
            var file = ByteWriter()
            for byte in BTSnoop.magic + [0, 0, 0, 1, 0, 0, UInt8(link >> 8), UInt8(link & 0xFF)] { file.u8(byte) }
            for byte in [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, UInt8(flags), 0, 0, 0, 0] as [UInt8] { file.u8(byte) }
            for byte in [0, 0xDC, 0xDD, 0xB3, 0x10, 0x2F, 0, 0, 0x3E, 2, 1, 6] as [UInt8] { file.u8(byte) }
            files.append(file.bytes)
        }
        return files
    }

    /// Returns a temperature report over the air, in each byte order and data link of pcap.
    private static func pcaps() -> [[UInt8]] {
        let report: [UInt8] = [0x18, 1, 0x0A, 0, 0, 0x29, 0x2E, 9]
        let application: [UInt8] = [0, 1, 2, 4, 4, 1, 1, 9] + report
        let network: [UInt8] = [8, 0, 0, 0, 0x2B, 0x1A, 30, 5] + application
        let extended: [UInt8] =
            [8, 0x1C, 0, 0, 0x2B, 0x1A, 30, 5] + [UInt8](repeating: 1, count: 16) + [0, 1, 0, 7, 7] + application
        let frames = [network, extended].map { [0x61, 0x88, 1, 0x34, 0x12, 0, 0, 0x2B, 0x1A] + $0 }
        var files: [[UInt8]] = []
        for frame in frames {
            let check = MACFrame.check(frame)
            let checked = frame + [UInt8(check & 0xFF), UInt8(check >> 8)]
            for (link, packet) in [
                (195, checked), (215, [0, 0, 0, 0, 0xA7, UInt8(checked.count)] + checked), (230, frame), (1, frame),
            ] as [(UInt8, [UInt8])] {
                files.append(
                    [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [link, 0, 0, 0]
                        + [0, 0, 0, 0, 0, 0, 0, 0, UInt8(packet.count), 0, 0, 0, UInt8(packet.count), 0, 0, 0] + packet)
            }
            files.append(
                [0xA1, 0xB2, 0x3C, 0x4D, 0, 2, 0, 4] + [UInt8](repeating: 0, count: 12) + [0, 0, 0, 230]
                    + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(frame.count), 0, 0, 0, UInt8(frame.count)] + frame)
        }
        return files
    }
}
