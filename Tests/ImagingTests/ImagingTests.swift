import Testing
import Vocabulary

@testable import Imaging

@Suite("Pictures")
struct ImagingTests {
    /// 32 by 16 pixels, the left half red and the right half blue, in each format, as Pillow 12 writes them.
    private static let pictures: [String: String] = [
        "JPEG":
            "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a07"
            + "0706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffdb0043010304"
            + "0405040509050509140d0b0d141414141414141414141414141414141414141414141414141414141414141414141414"
            + "1414141414141414141414141414ffc00011080010002003012200021101031101ffc4001f0000010501010101010100"
            + "000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d010203000411051221"
            + "31410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a"
            + "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a9293949596979899"
            + "9aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1"
            + "f2f3f4f5f6f7f8f9faffc4001f0100030101010101010101010000000000000102030405060708090a0bffc400b51100"
            + "020102040403040705040400010277000102031104052131061241510761711322328108144291a1b1c109233352f015"
            + "6272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a63646566676869"
            + "6a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4"
            + "c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9faffda000c03010002110311003f00f9"
            + "be8a28afcbcfef03c9e8a28aff00500ff39cffd9",
        "PNG":
            "89504e470d0a1a0a0000000d4948445200000020000000100802000000f862ea0e0000002749444154789c633c2122c2"
            + "400af061d842927a2692549301462d18b560d482510b462da0060000f32102100edbfe0f0000000049454e44ae426082",
        "WebP":
            "524946465800000057454250565038204c0000009004009d012a200010003e31188942a221a1180400200304b4004e99"
            + "42381bc03f003f6038c0bb01fb00029c9800fef85f7fff3521fef27ffea697d959de7fe560022ff8a97dbf7fbeb94000",
    ]

    private static func bytes(_ format: String) throws -> [UInt8] {
        try #require(pictures[format].flatMap { Hex.decode($0) })
    }

    private func isRed(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Bool {
        let place = (y * bitmap.width + x) * 3
        return bitmap.pixels[place] > bitmap.pixels[place + 2]
    }

    @Test(arguments: ["JPEG", "PNG", "WebP"])
    func `each format is decoded into the same pixels`(format: String) throws {
        let bitmap = try PictureDecoder.bitmap(of: Self.bytes(format), side: 320)
        #expect(bitmap.width == 32 && bitmap.height == 16)
        #expect(isRed(bitmap, 3, 8) && !isRed(bitmap, 28, 8))
        let again = try PictureDecoder.bitmap(
            of: WebPEncoder.encode(bitmap, side: 16, quality: 75), side: 320)
        #expect(again.width == 16 && again.height == 8)
        #expect(isRed(again, 2, 4) && !isRed(again, 13, 4))
    }

    @Test func `a large JPEG is decoded at a fraction of its size, but no smaller than requested`() throws {
        let small = try PictureDecoder.bitmap(of: Self.bytes("JPEG"), side: 8)
        #expect(small.width == 8 && small.height == 4)
        let larger = try PictureDecoder.bitmap(of: Self.bytes("JPEG"), side: 9)
        #expect(larger.width == 16)
    }

    @Test func `a bitmap is turned by each orientation of Exif`() {
        // 1 2 3
        // 4 5 6
        let bitmap = Bitmap(width: 3, height: 2, pixels: [1, 2, 3, 4, 5, 6].flatMap { [$0, $0, $0] })
        let expected: [UInt8: [UInt8]] = [
            1: [1, 2, 3, 4, 5, 6], 2: [3, 2, 1, 6, 5, 4], 3: [6, 5, 4, 3, 2, 1], 4: [4, 5, 6, 1, 2, 3],
            5: [1, 4, 2, 5, 3, 6], 6: [4, 1, 5, 2, 6, 3], 7: [6, 3, 5, 2, 4, 1], 8: [3, 6, 2, 5, 1, 4],
            9: [1, 2, 3, 4, 5, 6],
        ]
        for (orientation, order) in expected {
            let turned = bitmap.turned(by: orientation)
            #expect(turned.width == ((5...8).contains(orientation) ? 2 : 3))
            #expect(stride(from: 0, to: 18, by: 3).map { turned.pixels[$0] } == order, "orientation \(orientation)")
        }
    }

    @Test func `damaged pictures are refused or decoded, and never end the process`() throws {
        var (decoded, refused) = (0, 0)
        var state: UInt64 = 7
        for format in ["JPEG", "PNG", "WebP"] {
            let whole = try Self.bytes(format)
            for _ in 0..<2000 {
                var bytes = whole
                for _ in 0..<3 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let place = 2 + Int(state >> 33) % (bytes.count - 2)
                    bytes[place] = UInt8(truncatingIfNeeded: state >> 20)
                }
                do {
                    let bitmap = try PictureDecoder.bitmap(of: bytes, side: 320)
                    #expect(bitmap.pixels.count == bitmap.width * bitmap.height * 3)
                    decoded += 1
                } catch {
                    refused += 1
                }
            }
        }
        print("pictures: \(decoded) damaged ones were decoded, \(refused) refused")
        #expect(decoded > 500 && refused > 500)
    }

    @Test func `bytes of another format are refused`() {
        #expect(throws: ImagingError.unknownFormat) {
            try PictureDecoder.bitmap(of: Array("GIF89a".utf8), side: 320)
        }
    }
}
