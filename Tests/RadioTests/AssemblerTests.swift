import Testing
import Vocabulary

@testable import Radio

@Suite("Extended advertisements in parts")
struct AssemblerTests {
    /// BTHome with 25.06 °C and 50.55 % in one advertisement.
    private static let data: [UInt8] = [0x0A, 0x16, 0xD2, 0xFC, 0x40, 0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13]

    /// Returns an LE Extended Advertising Report with one report; `status` 0 is complete, 1 more to come, 2 truncated.
    private static func packet(_ data: some Collection<UInt8>, status: UInt8, set: UInt8 = 1, sender: UInt8 = 1)
        -> [UInt8]
    {
        let report: [UInt8] =
            [status << 5, 0, 0, sender, 2, 3, 4, 5, 0xC6, 1, 2, set, 127, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            + [UInt8(data.count)] + data
        return [0x04, 0x3E, UInt8(report.count + 2), 0x0D, 1] + report
    }

    private func decoded(_ packets: [[UInt8]]) -> DecodedInput {
        var receiver = AdvertisementReceiver()
        var decoded = DecodedInput()
        for packet in packets { decoded.append(receiver.decode(packet: packet)) }
        return decoded
    }

    @Test func `an advertisement in parts is decoded like one in one part, wherever it is divided`() {
        let whole = decoded([Self.packet(Self.data, status: 0)])
        #expect(whole.reports.first?.readings.map(\.value) == [25.06, 50.55])
        for split in 0...Self.data.count {
            let parts = [
                Self.packet(Self.data[..<split], status: 1), Self.packet(Self.data[split...], status: 0),
            ]
            #expect(decoded(parts) == whole, "divided at \(split)")
            #expect(decoded([parts[0]]).isEmpty, "divided at \(split)")
        }
    }

    @Test func `parts of another sender or advertising set are not joined`() {
        let packets = [
            Self.packet(Self.data[..<7], status: 1, sender: 1), Self.packet(Self.data[..<3], status: 1, sender: 2),
            Self.packet([], status: 1, set: 2, sender: 1), Self.packet(Self.data[3...], status: 0, sender: 2),
            Self.packet(Self.data[7...], status: 0, sender: 1),
        ]
        let decoded = decoded(packets)
        #expect(decoded.reports.count == 2)
        #expect(decoded.reports.allSatisfy { $0.readings.map(\.value) == [25.06, 50.55] })
        #expect(Set(decoded.reports.map(\.device)).count == 2)
    }

    @Test func `an advertisement that the controller cuts off gives its whole structures, else it is truncated`() {
        let halves = [Self.packet(Self.data[..<4], status: 1), Self.packet(Self.data[4..<9], status: 2)]
        #expect(decoded(halves).misses.map(\.gap) == [.truncated])
        #expect(decoded([Self.packet(Self.data, status: 2)]).reports.first?.readings.count == 2)
    }

    @Test func `unfinished advertisements take a limited amount of memory`() {
        var assembler = AdvertisementAssembler()
        var largest = 0
        for number in 0..<10_000 {
            let part = Advertisement(
                address: UInt64(number % 500), isExtended: true, isIncomplete: true, set: 0,
                data: [UInt8](repeating: 1, count: 200))
            largest = max(largest, assembler.take(part)?.data.count ?? 0)
        }
        #expect(largest <= RadioLimits.advertisement)
        var one = AdvertisementAssembler()
        let parts = (0..<9).map { _ in
            one.take(
                Advertisement(
                    address: 1, isExtended: true, isIncomplete: true, set: 0, data: [UInt8](repeating: 1, count: 200)))
        }
        #expect(parts.last??.data.count == RadioLimits.advertisement && parts.last??.isTruncated == true)
    }

    @Test func `a decode line joins an advertisement in parts`() {
        let one = Self.packet(Self.data[..<6], status: 1)
        let two = Self.packet(Self.data[6...], status: 0)
        let both = [0x04, 0x3E, UInt8(one.count + two.count - 8), 0x0D, 2] + one.dropFirst(5) + two.dropFirst(5)
        let line = DecodeLine.decode(Array("{\"format\":\"hci\",\"hex\":\"\(Hex.encode(Array(both)))\"}".utf8))
        #expect(String(decoding: line, as: UTF8.self).contains("25.06"))
    }
}

@Suite("Newer objects of BTHome")
struct BTHomeObjectTests {
    private func values(_ hex: String) throws -> [Double] {
        let objects = try #require(Hex.decode(hex))
        let data = [UInt8(objects.count + 4), 0x16, 0xD2, 0xFC, 0x40] + objects
        let decoded = AdvertisementDecoder().decode(Advertisement(address: 1, data: data))
        #expect(decoded.problems.isEmpty, "\(hex)")
        return decoded.reports.flatMap(\.readings).map(\.value)
    }

    @Test(arguments: [
        // A command without arguments, with two, and with the reserved bits set; the settings revision; both.
        "3b0001" + "45fa00", "3b02011122" + "45fa00", "3be20111" + "22" + "45fa00", "45fa00" + "6507",
        "3b010122" + "45fa00" + "6507",
    ])
    func `the BTHome objects 0x3B and 0x65 are skipped, and later ones are read`(hex: String) throws {
        #expect(try values(hex) == [25])
    }
}
