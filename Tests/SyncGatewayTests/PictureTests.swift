import Testing

@testable import SyncGateway

@Suite("Metadata of pictures")
struct PictureTests {
    private typealias Rule = @Sendable ([UInt8]) throws -> [UInt8]

    private static let rule: Rule = { try Picture(withoutMetadata: $0).bytes }

    /// Returns what a rule does wrong with the samples.
    private func wrong(_ rule: Rule) -> [String] {
        var wrong: [String] = []
        for sample in PictureSample.all {
            guard let written = try? rule(sample.bytes) else {
                wrong.append("\(sample.name) is refused")
                continue
            }
            if written.firstRange(of: PictureSample.canary) != nil { wrong.append("\(sample.name) tells the place") }
            if sample.name != "webp" {
                if written != sample.needed.flatMap({ $0 }) { wrong.append("\(sample.name) is another") }
            } else if written != PictureSample.riff(sample.needed.flatMap { $0 }) {
                wrong.append("\(sample.name) is another")
            }
            if (try? rule(written)) != written { wrong.append("\(sample.name) changes again") }
        }
        return wrong
    }

    @Test func `all metadata is removed, and every part that a browser needs is retained unchanged`() throws {
        #expect(wrong(Self.rule) == [])
        let sizes = try PictureSample.all.map { "\($0.name) \($0.bytes.count) -> \(try Self.rule($0.bytes).count)" }
        print("pictures: \(sizes.joined(separator: ", ")) bytes")
        #expect(sizes.count >= 5)
    }

    @Test func `mutants are rejected, retaining all, dropping every application segment, trusting the first scan`() {
        #expect(wrong { $0 }.count { $0.hasSuffix("tells the place") } == PictureSample.all.count)
        // The colour profile and the orientation are application segments, too.
        let careless: Rule = { bytes in
            var written = try Self.rule(bytes)
            for part in PictureSample.jpeg.needed
            where part.starts(with: [0xFF, 0xE1]) || part.starts(with: [0xFF, 0xE2]) {
                if let range = written.firstRange(of: part) { written.removeSubrange(range) }
            }
            return written
        }
        #expect(wrong(careless) == ["jpeg is another"])
        // Data between the scans of a progressive picture can be metadata as well.
        let hasty: Rule = { bytes in
            guard bytes.starts(with: [0xFF, 0xD8]), let scan = bytes.firstRange(of: [0xFF, 0xDA]) else {
                return try Self.rule(bytes)
            }
            let head = try Self.rule(Array(bytes[..<scan.lowerBound]) + Array(PictureSample.plainJPEG.bytes.suffix(23)))
            return head.dropLast(23) + bytes[scan.lowerBound...]
        }
        #expect(wrong(hasty).contains("jpeg tells the place"))
    }

    @Test func `the orientation is read in both byte orders, and a value other than 2 to 8 is ignored`() {
        for value in UInt8(0)...12 {
            for isBigEndian in [true, false] {
                let found = Orientation(tiff: PictureSample.exif(turned: value, isBigEndian: isBigEndian)[...])
                #expect(found?.value == ((2...8).contains(value) ? value : nil))
                if let found { #expect(Orientation(tiff: found.tiff[...]) == found && found.tiff.count == 26) }
            }
        }
        let whole = PictureSample.exif(turned: 6)
        for length in 0..<32 { #expect(Orientation(tiff: whole[..<length]) == nil) }
        #expect(Orientation(tiff: Array("MM\0*\u{7F}\u{7F}\u{7F}\u{7F}".utf8)[...]) == nil)
    }

    @Test func `a picture that is truncated anywhere is refused`() throws {
        var refused = 0
        for sample in PictureSample.all {
            let written = try Self.rule(sample.bytes)
            for length in 0..<written.count {
                #expect(throws: PictureError.self, "\(sample.name) of \(length) bytes") {
                    try Self.rule(Array(written[..<length]))
                }
                refused += 1
            }
        }
        print("pictures: \(refused) that were cut off are refused")
        #expect(refused > 500)
    }

    @Test func `a malformed picture is refused with the reason`() {
        func reason(_ bytes: [UInt8]) -> String {
            do throws(PictureError) {
                _ = try Picture(withoutMetadata: bytes)
                return "taken"
            } catch .damaged(let reason) {
                return reason
            } catch {
                return "unknown"
            }
        }
        let pixel = PictureSample.chunk("IDAT", [1])
        let head = PictureSample.chunk("IHDR", Array(repeating: 1, count: 13))
        let end = PictureSample.chunk("IEND", [])
        var wrongSum = PictureSample.png.bytes
        wrongSum[20] ^= 1
        let cases: [(bytes: [UInt8], reason: String)] = [
            (Array("<svg onload='x'/>".utf8), "unknown"), ([], "unknown"),
            (wrongSum, "wrong checksum"),
            (PNGPicture.signature + head + end, "no pixels"),
            (PNGPicture.signature + pixel + head + end, "beginning"),
            (PNGPicture.signature + head + head + pixel + end, "beginning"),
            (PNGPicture.signature + head + PictureSample.chunk("EVIL", []) + pixel + end, "PNG does not have"),
            (PNGPicture.signature + head + PictureSample.chunk("a\u{1}bc", []) + pixel + end, "no name"),
            ([0xFF, 0xD8, 0xFF, 0xD9], "no pixels"), ([0xFF, 0xD8, 0xFF, 0xD8, 0, 2], "JPEG does not have"),
            ([0xFF, 0xD8, 0xFF, 0xE1, 0, 1, 0], "no length"),
            ([0xFF, 0xD8, 0xFF, 0xFE, 0, 2, 7, 7], "does not begin"),
            ([0xFF, 0xD8] + PictureSample.segment(0xDA, [1]) + [1, 0xFF, 0xD9], "before their size"),
            (PictureSample.riff(PictureSample.part("XMP ", [1])), "no pixels"),
            (PictureSample.riff(PictureSample.part("VP8X", [1])), "header is wrong"),
            (Array("RIFF".utf8) + [5, 0, 0, 0] + Array("WEBPVP8L".utf8), "odd"),
            (Array("RIFF".utf8) + [98, 0, 0, 0] + Array("WEBPVP8L".utf8), "cut off"),
            (Array("GIF88a".utf8), "version"),
            (Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B], "no pixels"),
            (Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 7], "GIF does not have"),
        ]
        for one in cases { #expect(reason(one.bytes).contains(one.reason), "\(reason(one.bytes))") }
        #expect(cases.count >= 20)
    }
}
