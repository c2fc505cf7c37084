import EventBus
import EventSourcing
import Testing

@Suite("Pages read ahead")
struct ReadingAheadTests {
    private let journal: ArrayJournal
    private var pageSource: PageSource
    private let subscriber = PageSource.Subscriber(line: 0, peer: [1])

    /// Serves the first page and reads the next one ahead.
    init() throws {
        let journal = try ArrayJournal()
        journal.write(count: 1_999)
        self.journal = journal
        pageSource = PageSource { [journal.reader()] }
        #expect(try ask(after: nil).map(\.position) == Array(1...512))
        pageSource.readAhead(at: 0)
    }

    @Test mutating func `a page read ahead is served without reading its entries again`() throws {
        // The store now differs from the page that was read ahead.
        journal.damage(at: 600)
        let page = try ask(after: 512)
        #expect(page.map(\.position) == Array(513...1024))
        #expect(page.map(\.bytes) != Array(journal.entries[512..<1024]).map(\.bytes))
        // The page after it was not read ahead.
        #expect(try ask(after: 1024).first?.position == 1025)
    }

    @Test mutating func `a page read ahead that is not requested soon is discarded`() throws {
        journal.damage(at: 600)
        pageSource.forgetAhead()
        #expect(try ask(after: 512) == Array(journal.entries[512..<1024]))
    }

    @Test mutating func `a page read ahead is not served after a restore of the journal`() throws {
        journal.restore(keeping: 512, as: 0xE2)
        journal.write(count: 100)
        let page = try ask(after: 512)
        #expect(page == Array(journal.entries[512...]))
        #expect(page.count == 101)
    }

    @Test mutating func `a page read ahead is not served if the journal has lost its end`() throws {
        journal.lose(behind: 700)
        #expect(try ask(after: 512) == Array(journal.entries[512..<700]))
    }

    @Test mutating func `a page read ahead is not served to a subscriber with another checkpoint`() throws {
        let asked = PageRequest(
            feed: journal.feed,
            after: Checkpoint(epoch: Epoch(0xE1), position: 512, hash: Array(repeating: 7, count: 32)))
        #expect(pageSource.answer(asked, request: 1, from: subscriber, at: 0).message.kind == .refused)
    }

    @Test mutating func `a page read ahead for one subscriber is never served to another`() throws {
        // given a store that changed after the page was read ahead
        journal.damage(at: 600)
        // when another connection requests the same page
        let other = PageSource.Subscriber(line: 0, peer: [2])
        let page = try ask(after: 512, as: other)
        // then it receives the bytes of the store
        #expect(page.count == 512 && page == Array(journal.entries[512..<1024]))
    }

    private mutating func ask(
        after position: Position?, as other: PageSource.Subscriber? = nil
    ) throws -> [Entry] {
        let after = position.map { position in
            Checkpoint(epoch: Epoch(0xE1), position: position, hash: journal.entries[Int(position) - 1].hash)
        }
        let asked = PageRequest(feed: journal.feed, after: after)
        let answer = pageSource.answer(asked, request: 1, from: other ?? subscriber, at: 0).message
        let header = try FeedHeader.parse(answer.header, PageHeader.init(header:))
        return try PagePayload.read(answer.payload, first: header.first, count: header.count)
    }
}
