/// How the memory of a coordinator contains its network: which places, and the layout of their bytes (Z-Stack).
///
/// Processors of 8 bits store members packed, those of 32 bits aligned. Z-Stack 1.2 has no link keys.
struct CoordinatorMemory: Hashable, Sendable {
    /// The firmware's product number: 0 is Z-Stack 1.2, 2 is 3.0, 1 is 3.x.0.
    let product: UInt8
    let contents: [MemoryPlace: [UInt8]]

    private enum Item {
        static let address: UInt16 = 0x0001
        static let addresses: UInt16 = 0x0023
        static let otherKey: UInt16 = 0x003B
        static let linkKeys: UInt16 = 0x004C
        static let keyAndCounter: UInt16 = 0x0082
        static let seed: UInt16 = 0x0101
    }

    /// The tables of 3.x.0, and where 3.0 has them among the items.
    private enum Table {
        static let addresses: UInt16 = 1
        static let hashedKeys: (table: UInt16, first: UInt16) = (4, 0x0111)
        static let plainKeys: (table: UInt16, first: UInt16) = (6, 0x0201)
        static let counters: (table: UInt16, first: UInt16) = (7, 0x0075)
        static let mostEntries = 512
        static let mostCounters = 12
    }

    private static func hasTables(_ product: UInt8) -> Bool { product == 1 }

    private static func first(_ one: (table: UInt16, first: UInt16), _ product: UInt8) -> MemoryPlace {
        hasTables(product) ? .entry(table: one.table, 0) : .item(one.first)
    }

    /// What has to be read of a coordinator.
    static func wishes(product: UInt8) -> [MemoryReading.Wish] {
        let items = [
            Item.address, MemoryItem.network, MemoryItem.activeKey, Item.keyAndCounter, Item.linkKeys, Item.seed,
        ]
        // Z-Stack 1.2 gives neither link keys nor the seed.
        let readable = items.filter { product != 0 || $0 != Item.linkKeys && $0 != Item.seed }
        var wishes = readable.map { MemoryReading.Wish.place(.item($0)) }
        if hasTables(product) {
            wishes.append(.table(from: .entry(table: Table.addresses, 0), atMost: Table.mostEntries))
        } else {
            wishes.append(.place(.item(Item.addresses)))
        }
        guard product != 0 else { return wishes }
        return wishes + [
            .table(from: first(Table.counters, product), atMost: Table.mostCounters),
            .table(from: first(Table.hashedKeys, product), atMost: Table.mostEntries),
            .table(from: first(Table.plainKeys, product), atMost: Table.mostEntries),
        ]
    }

    private func item(_ item: UInt16) throws(Malformed) -> [UInt8] {
        guard let bytes = contents[.item(item)] else {
            throw Malformed("the coordinator's memory has no item \(item)", at: 0)
        }
        return bytes
    }

    private func rows(from first: MemoryPlace) -> [(place: MemoryPlace, bytes: [UInt8])] {
        var rows: [(MemoryPlace, [UInt8])] = []
        var place = first
        while let bytes = contents[place], rows.count < Table.mostEntries {
            rows.append((place, bytes))
            place = place.next
        }
        return rows
    }

    private func isAligned() throws(Malformed) -> Bool {
        try item(MemoryItem.network).count == NetworkRecord.alignedBytes
    }

    // MARK: Reading

    /// Returns the backup of what was read. Throws if the coordinator has no network, or its memory is another one.
    func backup() throws(Malformed) -> CoordinatorBackup {
        let network = try item(MemoryItem.network)
        let record = try NetworkRecord(network)
        guard record.isFormed else { throw Malformed("the coordinator has no network", at: 0) }
        let isAligned = try isAligned()
        var key = ByteReader(try item(MemoryItem.activeKey))
        let sequence = try key.u8()
        let keyBytes = try key.take(16)
        var channels = ByteReader(Array(network[(isAligned ? 40 : 36)...]))
        var address = ByteReader(try item(Item.address))
        let seed = product == 0 ? nil : contents[.item(Item.seed)].map { LinkKeySeed(bytes: Array($0.prefix(16))) }
        return CoordinatorBackup(
            ieee: try address.u64(), panID: record.panID, extendedPANID: record.extendedPANID,
            updateID: network[isAligned ? 114 : 109], securityLevel: network[12], channel: record.channel,
            channels: try channels.u32(), key: keyBytes, keySequence: sequence,
            frameCounter: try counter(of: record.extendedPANID), seed: seed?.bytes,
            devices: try devices(seed: seed))
    }

    private func counter(of network: UInt64) throws(Malformed) -> UInt32 {
        guard product != 0 else {
            var reader = ByteReader(try item(Item.keyAndCounter))
            try reader.skip(17)
            return try reader.u32()
        }
        var general: UInt32?
        for row in rows(from: Self.first(Table.counters, product)) {
            var reader = ByteReader(row.bytes)
            let counter = try reader.u32()
            let owner = try reader.u64()
            if owner == network { return counter }
            if owner == .max { general = counter }
        }
        guard let general else { throw Malformed("the coordinator has no frame counter of its network", at: 0) }
        return general
    }

    /// An entry of the address manager. Kinds: 1 a child, 2 a device with a link key.
    private struct Address {
        let kind: UInt8
        let short: UInt16
        let ieee: UInt64

        init(_ bytes: ArraySlice<UInt8>, isAligned: Bool) throws(Malformed) {
            var reader = ByteReader(Array(bytes))
            kind = try reader.u8()
            if isAligned { try reader.skip(1) }
            short = try reader.u16()
            ieee = try reader.u64()
        }

        var isUsed: Bool { kind & 0x03 != 0 && ieee != 0 && ieee != .max }

        static func bytes(_ device: CoordinatorBackup.Device, isAligned: Bool) -> [UInt8] {
            var writer = ByteWriter()
            writer.u8((device.isChild ? 1 : 0) | (device.linkKey == nil ? 0 : 2))
            if isAligned { writer.u8(0) }
            writer.u16(device.short ?? 0xFFFE)
            writer.u64(device.ieee)
            return writer.bytes
        }

        static func empty(isAligned: Bool, generation: UInt8) -> [UInt8] {
            // Z-Stack 1.2 marks free entries by an address of ones.
            let address = [UInt8](repeating: generation == 0 ? 0xFF : 0, count: 8)
            return (isAligned ? [0, 0] : [0]) + [0xFF, 0xFF] + address
        }
    }

    private func addresses() throws(Malformed) -> [Address] {
        let isAligned = try isAligned()
        if Self.hasTables(product) {
            var all: [Address] = []
            for row in rows(from: .entry(table: Table.addresses, 0)) {
                all.append(try Address(row.bytes[...], isAligned: isAligned))
            }
            return all
        }
        let size = isAligned ? 12 : 11
        let bytes = contents[.item(Item.addresses)] ?? []
        var all: [Address] = []
        for start in stride(from: 0, through: bytes.count - size, by: size) {
            all.append(try Address(bytes[start..<start + size], isAligned: isAligned))
        }
        return all
    }

    private func devices(seed: LinkKeySeed?) throws(Malformed) -> [CoordinatorBackup.Device] {
        let addresses = try addresses()
        var devices: [UInt64: CoordinatorBackup.Device] = [:]
        for one in addresses where one.isUsed {
            devices[one.ieee] = .init(
                ieee: one.ieee, short: one.short == 0xFFFE ? nil : one.short, isChild: one.kind & 1 == 1)
        }
        if product != 0 {
            for row in rows(from: Self.first(Table.hashedKeys, product)) {
                var reader = ByteReader(row.bytes)
                let (sent, received) = (try reader.u32(), try reader.u32())
                let ieee = try reader.u64()
                try reader.skip(2)
                let shift = Int(try reader.u8())
                guard let seed, shift < 16 else { continue }
                devices[ieee]?.linkKey = .init(key: seed.key(of: ieee, shift: shift), sent: sent, received: received)
            }
            try readPlainKeys(of: addresses, into: &devices)
        }
        return devices.values.sorted { $0.ieee < $1.ieee }
    }

    private func readPlainKeys(
        of addresses: [Address], into devices: inout [UInt64: CoordinatorBackup.Device]
    ) throws(Malformed) {
        let keys = rows(from: Self.first(Table.plainKeys, product)).map(\.bytes)
        var reader = ByteReader(contents[.item(Item.linkKeys)] ?? [0, 0])
        let isAligned = try isAligned()
        let count = try reader.u16()
        // A table that was never written contains ones.
        for _ in 0..<(count == .max ? 0 : count) {
            let (index, number) = (Int(try reader.u16()), Int(try reader.u16()))
            let state = try reader.u8()
            if isAligned { try reader.skip(1) }
            let entry = Self.hasTables(product) ? number : number - Int(Table.plainKeys.first)
            // 1: the keys were exchanged by certificates, which is how both sides say that they have one.
            guard state == 1, addresses.indices.contains(index), keys.indices.contains(entry) else { continue }
            var key = ByteReader(keys[entry])
            devices[addresses[index].ieee]?.linkKey = .init(
                key: try key.take(16), sent: try key.u32(), received: try key.u32())
        }
    }

    // MARK: Writing

    /// What is added to counters, as messages were sent since the backup that it does not know of.
    private static let counterMargin: UInt32 = 10_000

    /// Returns what has to be written so that a coordinator with any network has that of a backup.
    ///
    /// The memory is that of this coordinator: tables keep their sizes. Throws if the network does not fit.
    func contents(
        for backup: CoordinatorBackup, random: [UInt8]
    ) throws(Malformed) -> [MemoryWriting.Content] {
        let isAligned = try isAligned()
        var network = try item(MemoryItem.network)
        func set(_ offset: Int, _ bytes: [UInt8]) {
            network.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
            var writer = ByteWriter()
            write(&writer)
            return writer.bytes
        }
        let channels = bytes { $0.u32(backup.channels) }
        let extended = bytes { $0.u64(backup.extendedPANID) }
        let key = [backup.keySequence] + backup.key
        let (counter, isOver) = backup.frameCounter.addingReportingOverflow(Self.counterMargin)
        guard !isOver else { throw Malformed("the network's frame counter is used up; form a new network", at: 0) }
        set(12, [backup.securityLevel])
        set(isAligned ? 22 : 20, [0, 0])
        set(isAligned ? 24 : 22, [backup.channel])
        set(isAligned ? 26 : 23, [0, 0])
        set(isAligned ? 36 : 33, bytes { $0.u16(backup.panID) })
        set(isAligned ? 40 : 36, channels)
        set(isAligned ? 57 : 53, extended)
        set(isAligned ? 114 : 109, [backup.updateID])
        let items: [(UInt16, [UInt8])] = [
            (MemoryItem.network, network), (MemoryItem.usedExtendedPANID, extended),
            (MemoryItem.extendedPANID, extended), (MemoryItem.configuredKey, backup.key),
            (MemoryItem.channels, channels), (MemoryItem.panID, bytes { $0.u16(backup.panID) }),
            (Item.address, bytes { $0.u64(backup.ieee) }), (MemoryItem.activeKey, key), (Item.otherKey, key),
        ]
        var contents = items.map { MemoryWriting.Content(.item($0), $1) }
        guard product != 0 else {
            contents.append(.init(.item(Item.keyAndCounter), key + bytes { $0.u32(counter) }))
            return contents + (try addressContents(backup.devices, isAligned))
        }
        let keys = backup.devices.compactMap { one in one.linkKey.map { (ieee: one.ieee, key: $0.key) } }
        let seed = backup.seed.map(LinkKeySeed.init) ?? .best(of: keys) ?? LinkKeySeed(bytes: random)
        contents.append(.init(.item(Item.seed), seed.bytes))
        contents += try table(
            Table.counters,
            [
                bytes {
                    $0.u32(counter); $0.u64(backup.extendedPANID)
                }
            ],
            empty: [UInt8](repeating: 0, count: 12))
        return try contents + addressContents(backup.devices, isAligned) + keyContents(backup.devices, seed, isAligned)
    }

    private func table(
        _ table: (table: UInt16, first: UInt16), _ rows: [[UInt8]], empty: [UInt8]
    ) throws(Malformed) -> [MemoryWriting.Content] {
        try fill(Self.first(table, product), rows, empty: empty)
    }

    /// Returns the contents of a table that keeps its size.
    private func fill(
        _ first: MemoryPlace, _ rows: [[UInt8]], empty: [UInt8]
    ) throws(Malformed) -> [MemoryWriting.Content] {
        let places = self.rows(from: first)
        guard rows.count <= places.count else {
            throw Malformed("the coordinator has room for \(places.count) devices, and the network has more", at: 0)
        }
        return places.enumerated().map { index, row in
            MemoryWriting.Content(row.place, index < rows.count ? rows[index] : empty)
        }
    }

    private func addressContents(
        _ devices: [CoordinatorBackup.Device], _ isAligned: Bool
    ) throws(Malformed) -> [MemoryWriting.Content] {
        let rows = devices.map { Address.bytes($0, isAligned: isAligned) }
        let empty = Address.empty(isAligned: isAligned, generation: product)
        if Self.hasTables(product) { return try fill(.entry(table: Table.addresses, 0), rows, empty: empty) }
        let room = (contents[.item(Item.addresses)] ?? []).count / empty.count
        guard rows.count <= room else {
            throw Malformed("the coordinator has room for \(room) devices, and the network has \(rows.count)", at: 0)
        }
        let all = rows + Array(repeating: empty, count: room - rows.count)
        return room == 0 ? [] : [.init(.item(Item.addresses), all.flatMap { $0 })]
    }

    private func keyContents(
        _ devices: [CoordinatorBackup.Device], _ seed: LinkKeySeed, _ isAligned: Bool
    ) throws(Malformed) -> [MemoryWriting.Content] {
        var (hashed, plain): ([[UInt8]], [[UInt8]]) = ([], [])
        var links = ByteWriter()
        for (index, device) in devices.enumerated() {
            guard let link = device.linkKey else { continue }
            let sent = link.sent.addingReportingOverflow(Self.counterMargin)
            var row = ByteWriter()
            if let shift = seed.shift(of: link.key, of: device.ieee) {
                row.u32(sent.overflow ? .max : sent.partialValue)
                row.u32(link.received)
                row.u64(device.ieee)
                // A key that both sides have verified, of no particular kind.
                row.append([2, 0, UInt8(shift)] + (isAligned ? [0] : []))
                hashed.append(row.bytes)
            } else {
                row.append(link.key)
                row.u32(sent.overflow ? .max : sent.partialValue)
                row.u32(link.received)
                links.u16(UInt16(index))
                let first = Self.hasTables(product) ? 0 : Table.plainKeys.first
                links.u16(first + UInt16(plain.count))
                links.append(isAligned ? [1, 0] : [1])
                plain.append(row.bytes)
            }
        }
        var table = ByteWriter()
        table.u16(UInt16(plain.count))
        let size = (contents[.item(Item.linkKeys)] ?? []).count
        let bytes = table.bytes + links.bytes
        guard bytes.count <= size else {
            throw Malformed("the coordinator has no room for the keys of \(plain.count) devices", at: 0)
        }
        var written = [
            MemoryWriting.Content(
                .item(Item.linkKeys), bytes + [UInt8](repeating: 0, count: size - bytes.count))
        ]
        written += try self.table(
            Table.hashedKeys, hashed, empty: [UInt8](repeating: 0, count: isAligned ? 20 : 19))
        written += try self.table(Table.plainKeys, plain, empty: [UInt8](repeating: 0, count: 24))
        return written
    }
}
