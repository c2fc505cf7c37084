import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Backups of coordinators")
struct CoordinatorBackupTests {
    /// An independent description of a network, in the format of other programs.
    private static let text = """
        {"metadata":{"version":1,"format":"zigpy/open-coordinator-backup","source":"zigbee-herdsman@0.14","internal":{}},\
        "stack_specific":{"zstack":{"tclk_seed":"000102030405060708090a0b0c0d0e0f"}},\
        "coordinator_ieee":"00124b00aabbccdd","pan_id":"3fa9","extended_pan_id":"dddd4b00aabbcc01","nwk_update_id":3,\
        "security_level":5,"channel":25,"channel_mask":[15,25],\
        "network_key":{"key":"0102030405060708090a0b0c0d0e0f10","sequence_number":2,"frame_counter":70000},\
        "devices":[{"nwk_address":"a01","ieee_address":"00158d0000000001","is_child":true,\
        "link_key":{"key":"010102030488130709090a0b0c801b0f","tx_counter":101,"rx_counter":1}},\
        {"nwk_address":null,"ieee_address":"00158d0000000002","is_child":false}]}
        """

    private func read(_ text: String = text) throws -> CoordinatorBackup {
        try CoordinatorBackup(json: JSONValue.parse(Array(text.utf8)))
    }

    @Test func `a backup of another program is read, and written as it was`() throws {
        let backup = try read()
        #expect(backup.panID == 0x3FA9 && backup.channels == 1 << 15 | 1 << 25 && backup.frameCounter == 70_000)
        #expect(backup.devices.map(\.short) == [0x0A01, nil])
        var json = JSONWriter()
        json.object { backup.write(fields: &$0, made: Instant(microseconds: 0)) }
        #expect(try read(json.text) == backup)
    }

    @Test(arguments: [
        ("\"version\":1", "\"version\":2", "metadata/format"), ("\"channel\":25", "\"channel\":9", "channel"),
        ("0102030405060708090a0b0c0d0e0f10", "0102", "network_key/key"), ("\"3fa9\"", "\"3fxx\"", "pan_id"),
        ("\"tx_counter\":101", "\"tx_counter\":-1", "devices/0/link_key/tx_counter"),
    ])
    func `what is wrong with a backup is named`(right: String, wrong: String, path: String) throws {
        let text = Self.text.replacing(right, with: wrong)
        #expect(text != Self.text)
        let error = #expect(throws: JSONError.self) { try read(text) }
        #expect(error?.path.hasSuffix(path) == true, "\(String(describing: error))")
    }

    @Test func `a link key is derived from the seed and the address, in sixteen ways`() throws {
        let backup = try read()
        let seed = LinkKeySeed(bytes: try #require(backup.seed))
        let device = try #require(backup.devices.first)
        let key = try #require(device.linkKey).key
        #expect(seed.shift(of: key, of: device.ieee) == 0)
        for shift in 0..<16 {
            let derived = seed.key(of: 0x0015_8D00_0000_0002, shift: shift)
            #expect(seed.shift(of: derived, of: 0x0015_8D00_0000_0002) == shift)
        }
        #expect(seed.shift(of: [UInt8](repeating: 9, count: 16), of: device.ieee) == nil)
    }

    @Test func `without a seed, the one from which most keys are derived is found`() throws {
        let seed = LinkKeySeed(bytes: (0..<16).map { $0 * 7 })
        var keys = (1...3).map { (ieee: UInt64($0), key: seed.key(of: UInt64($0), shift: $0 * 4)) }
        keys.append((ieee: 9, key: [UInt8](repeating: 1, count: 16)))
        let found = try #require(LinkKeySeed.best(of: keys))
        #expect(keys.dropLast().allSatisfy { found.shift(of: $0.key, of: $0.ieee) != nil })
    }

    @Test func `a network that does not fit is refused before anything is written`() throws {
        let backup = try read()
        var contents: [MemoryPlace: [UInt8]] = [
            .item(0x21): [UInt8](repeating: 0, count: 116), .item(0x4C): [UInt8](repeating: 0, count: 8),
            .entry(table: 1, 0): [UInt8](repeating: 0, count: 12),
        ]
        let small = CoordinatorMemory(product: 1, contents: contents)
        let error = #expect(throws: Malformed.self) { try small.contents(for: backup, random: []) }
        #expect(error?.reason.contains("room for") == true)
        contents[.entry(table: 1, 1)] = [UInt8](repeating: 0, count: 12)
        contents[.entry(table: 4, 0)] = [UInt8](repeating: 0, count: 20)
        contents[.entry(table: 7, 0)] = [UInt8](repeating: 0, count: 12)
        let written = try CoordinatorMemory(product: 1, contents: contents).contents(for: backup, random: [])
        #expect(written.count >= 14)
        #expect(written.allSatisfy { contents[$0.place].map { $0.count } ?? $0.bytes.count == $0.bytes.count })
    }

    @Test func `a table of link keys that was never written has none`() throws {
        var network = [UInt8](repeating: 0, count: 116)
        (network[24], network[65]) = (20, 1)
        let contents: [MemoryPlace: [UInt8]] = [
            .item(0x01): [UInt8](repeating: 1, count: 8), .item(0x21): network,
            .item(0x3A): [UInt8](repeating: 2, count: 17), .item(0x4C): [UInt8](repeating: 0xFF, count: 20),
            .entry(table: 7, 0): [0xC4, 9, 0, 0] + [UInt8](repeating: 0, count: 8),
        ]
        let backup = try CoordinatorMemory(product: 1, contents: contents).backup()
        #expect(backup.devices.isEmpty && backup.frameCounter == 2_500 && backup.channel == 20)
    }

    @Test func `memory that is refused or cut off ends the reading with a reason`() {
        for answer in [ZNPMessage.memory(.part(status: 2, bytes: [])), .refused(error: 2, request: 0x211C)] {
            var reading = MemoryReading([.place(.item(0x0101))])
            _ = reading.request()
            let first = reading.receive(.memory(.length(16)))
            _ = reading.request()
            let second = reading.receive(answer)
            #expect(first && !second && reading.failure != nil)
        }
        var silent = MemoryReading([.place(.item(1))])
        let requests = (0..<4).map { _ in silent.request() != nil }
        #expect(requests == [true, true, true, false] && silent.failure != nil)
    }
}
