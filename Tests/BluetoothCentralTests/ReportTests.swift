import JSON
import Testing
import Vocabulary

@testable import BluetoothCentral
@testable import Radio

@Suite("Reports of a hub")
struct ReportTests {
    private let at = Instant(microseconds: 1_764_158_400_000_000)
    private var selection = ReportSelection()

    /// BTHome 2 with a packet id and 25.06 °C.
    private func advertisement(_ id: UInt8, _ address: UInt64 = 1) -> Advertisement {
        Advertisement(address: address, rssi: -70, data: [9, 0x16, 0xD2, 0xFC, 0x40, 0, id, 2, 0xCA, 9])
    }

    private func value(_ bytes: [UInt8], interval: Int) -> NotifiedValue {
        NotifiedValue(
            peer: Peripheral(address: 0x546C_0E00_0001, isRandomAddress: false),
            characteristic: "f000aa21-0451-4000-b000-000000000000", value: bytes, sensor: "hdc1000",
            interval: interval)
    }

    @Test mutating func `an advertisement with data is reported, and again only when it changes or after a minute`() {
        let report = selection.report(advertisement(1), at: at, now: 0)
        #expect(
            report.map { AdvertReport.line($0.text, at: $0.at) }
                == #"{"at":"2025-11-26T12:00:00.000000Z","address":"000000000001","#
                + #""hex":"0916d2fc40000102ca09","rssi":-70}"#)
        #expect(selection.report(advertisement(1), at: at, now: 59_000_000) == nil)
        #expect(selection.report(advertisement(1, 2), at: at, now: 59_000_000) != nil)
        #expect(selection.report(advertisement(2), at: at, now: 59_000_000) != nil)
        #expect(selection.report(advertisement(2), at: at, now: 119_000_000) != nil)
    }

    @Test func `each reception of a beacon is sent once, with its strength, up to a limit`() throws {
        var receptions = BeaconReceptions()
        receptions.take(advertisement(1), at: at)
        #expect(receptions.isEmpty, "a sensor is no beacon")
        let beacon: [UInt8] = [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 7, count: 20) + [0xC5]
        for number in 0..<(CentralLimits.receptions + 3) {
            receptions.take(Advertisement(address: 1, rssi: -50 - number % 3, data: beacon), at: at)
        }
        receptions.take(Advertisement(address: 1, data: beacon), at: at)
        let adverts = try JSONValue.parse(receptions.takeBody()).get("adverts", as: [JSONValue].self)
        let strengths = try adverts.map { try $0.get("rssi", as: Int.self) }
        #expect(strengths.count == CentralLimits.receptions && Set(strengths) == [-50, -51, -52])
        #expect(receptions.omitted == 3 && receptions.isEmpty)
    }

    @Test mutating func `an advertisement without data for the farm is not reported, one that needs a key is`() {
        let phone = Advertisement(address: 7, data: [7, 0xFF, 0x4C, 0, 0x10, 2, 0, 0])
        #expect(selection.report(phone, at: at, now: 0) == nil)
        let name = Advertisement(address: 7, data: [2, 9, 0x41])
        #expect(selection.report(name, at: at, now: 0) == nil)
        #expect(selection.report(Advertisement(address: nil, data: advertisement(1).data), at: at, now: 0) == nil)
        let sealed = Hex.decode("1216d2fc41a47266c95f730011223378237214").map { Advertisement(address: 7, data: $0) }
        #expect(sealed.flatMap { selection.report($0, at: at, now: 0) } != nil)
    }

    @Test mutating func `values are reported at the interval of their profile`() {
        let first = selection.report(value([1, 2, 3, 4], interval: 10), at: at, now: 0)
        #expect(
            first?.text == #"{"address":"546c0e000001","hex":"01020304","#
                + #""characteristic":"f000aa21-0451-4000-b000-000000000000","sensor":"hdc1000"}"#)
        #expect(selection.report(value([5, 6, 7, 8], interval: 10), at: at, now: 9_999_999) == nil)
        #expect(selection.report(value([5, 6, 7, 8], interval: 10), at: at, now: 10_000_000) != nil)
        #expect(selection.report(value([5, 6, 7, 8], interval: 0), at: at, now: 10_000_000) != nil)
    }

    @Test mutating func `the body of a request has all reports in their order`() throws {
        let texts = [advertisement(1), advertisement(2)].compactMap { selection.report($0, at: at, now: 0)?.text }
        let body = try JSONValue.parse(AdvertReport.body(of: texts))
        #expect(body["adverts"]?.array?.map { $0["hex"] }.count == 2)
        #expect(AdvertReport.body(of: []) == Array(#"{"adverts":[]}"#.utf8))
    }

    @Test mutating func `the memory of senders is limited, and forgets the oldest`() {
        for address in 1...UInt64(CentralLimits.senders + 1) {
            #expect(selection.report(advertisement(1, address), at: at, now: 0) != nil)
        }
        #expect(selection.report(advertisement(1, 1), at: at, now: 0) != nil)
        #expect(selection.report(advertisement(1, UInt64(CentralLimits.senders)), at: at, now: 0) == nil)
    }
}
