import EventBus
import EventSourcing
import Testing

@Suite("Compression of pages")
struct PackingTests {
    private let packer = PagePacker()
    private let journal: ArrayJournal

    init() throws {
        journal = try ArrayJournal()
        journal.write(count: 1_999)
    }

    private func page(after position: Position = 0, unpacks: Bool) throws -> (header: PageHeader, payload: [UInt8]) {
        let journal = journal
        var pageSource = PageSource { [journal.reader()] }
        let after =
            position == 0
            ? nil
            : Checkpoint(
                epoch: Epoch(0xE1), position: position, hash: journal.entries[Int(position) - 1].hash)
        let asked = PageRequest(feed: journal.feed, after: after, unpacks: unpacks)
        let answer = pageSource.answer(
            asked, request: 1, from: PageSource.Subscriber(line: 0, peer: []), at: 0
        ).message
        return (try FeedHeader.parse(answer.header, PageHeader.init(header:)), answer.payload)
    }

    @Test(arguments: [0, 512, 1_800] as [Position])
    func `a page is compressed for a subscriber that can decompress it`(_ position: Position) throws {
        let (plain, packed) = (try page(after: position, unpacks: false), try page(after: position, unpacks: true))
        let count = try #require(packed.header.unpacked)
        #expect(plain.header.unpacked == nil && count == plain.payload.count)
        #expect(packed.payload.count * 2 < count)
        #expect(try packer.unpack(packed.payload, count: count) == plain.payload)
        print("packed: \(count) bytes travel as \(packed.payload.count)")
    }

    @Test func `a page that is longer than the limit or than its header states is rejected`() throws {
        let packed = try page(unpacks: true)
        let count = try #require(packed.header.unpacked)
        for wrong in [0, -1, count - 1, count + 1, .max] {
            #expect(throws: BusAnomaly.unreadablePayload) { try packer.unpack(packed.payload, count: wrong) }
        }
        #expect(throws: BusAnomaly.unreadablePayload) {
            try packer.unpack(Array(packed.payload.dropLast()), count: count)
        }
        #expect(throws: BusAnomaly.unreadablePayload) {
            try packer.unpack(packed.payload + [0], count: count)
        }
    }
}
