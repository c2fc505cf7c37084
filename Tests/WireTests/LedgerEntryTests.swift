import Crypto
import EventSourcing
import JSON
import Testing
import Wire

@Suite("Ledger entries")
struct LedgerEntryTests {
    private static let entry = LedgerEntry(
        hub: 7, origin: "sensor-ingest/farm-0", epoch: Epoch(255), position: 3,
        commitment: LedgerEntry.commitment(salt: [UInt8](repeating: 0, count: 16), event: Array("{}".utf8)))

    @Test func `a ledger entry is written in its one exact format`() throws {
        // The digest of sixteen zero bytes and {} by coreutils' sha256sum.
        let expected =
            #"{"v":1,"hub":7,"origin":"sensor-ingest/farm-0","epoch":"00000000000000ff","pos":3,"#
            + #""c":"MzsT/wL1euGASbgspm83WSxaPY/VTkTiOuXHCFwk/So="}"#
        #expect(String(decoding: Self.entry.bytes, as: UTF8.self) == expected)
        #expect(Self.entry.leaf == SHA256.hash([0] + Array(expected.utf8)))
        #expect(try LedgerEntry(Self.entry.bytes) == Self.entry)
    }

    @Test func `any other encoding of a ledger entry is refused`() {
        let text = String(decoding: Self.entry.bytes, as: UTF8.self)
        for other in [
            text.replacing(":7,", with: ": 7,"), text.replacing("\"v\":1", with: "\"v\":2"),
            text.replacing("\"hub\":7,", with: ""), text.replacing("00ff", with: "00FF"),
            text.replacing("=\"}", with: "\"}"), text.replacing("}", with: ",\"x\":1}"), "", "[]",
        ] {
            #expect(throws: JSONError.self) { try LedgerEntry(Array(other.utf8)) }
        }
    }

    @Test func `the longest ledger entry fits an entry bundle`() {
        let longest = LedgerEntry(
            hub: .max, origin: String(repeating: "o", count: 200), epoch: Epoch(.max), position: .max,
            commitment: Self.entry.commitment)
        #expect(longest.bytes.count < 400)
    }
}
