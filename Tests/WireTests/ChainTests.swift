import Crypto
import EventSourcing
import Testing
import Wire

@Suite("Hash chains")
struct ChainTests {
    private static let epoch = Epoch(0xFF)
    private static let start = Chain.start(feed: "sensor-ingest/farm-0", epoch: epoch)

    private static func entries(_ count: Int) -> [Entry] {
        var hash = start
        return (1...count).map { number in
            let bytes = Array("event \(number)".utf8)
            hash = Chain.next(after: hash, bytes)
            return Entry(position: Position(number), hash: hash, bytes: bytes)
        }
    }

    @Test func `a chain starts with the hash of the feed and its epoch in hexadecimal digits`() {
        #expect(Self.start == SHA256.hash(Array("sensor-ingest/farm-000000000000000ff".utf8)))
        #expect(Chain.next(after: Self.start, [1]) == SHA256.hash(Self.start + [1]))
    }

    @Test func `verification returns the first entry that does not continue the chain`() {
        let entries = Self.entries(20)
        #expect(Chain.firstBreak(in: entries, after: Self.start, at: 0) == nil)
        #expect(Chain.firstBreak(in: entries.dropFirst(5), after: entries[4].hash, at: 5) == nil)
        for number in 1...20 {
            let entry = entries[number - 1]
            var changed = entries
            changed[number - 1] = Entry(position: entry.position, hash: entry.hash, bytes: entry.bytes + [0])
            #expect(Chain.firstBreak(in: changed, after: Self.start, at: 0) == Position(number))
            changed[number - 1] = Entry(position: entry.position + 1, hash: entry.hash, bytes: entry.bytes)
            #expect(Chain.firstBreak(in: changed, after: Self.start, at: 0) == Position(number))
            changed.remove(at: number - 1)
            let broken = Chain.firstBreak(in: changed, after: Self.start, at: 0)
            #expect(broken == (number == 20 ? nil : Position(number)))
        }
    }
}
