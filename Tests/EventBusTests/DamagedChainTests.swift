import EventSourcing
import Testing
import Wire

@testable import EventBus

@Suite("Chain verification beyond damage")
struct DamagedChainTests {
    private let start = [UInt8](repeating: 1, count: 32)

    private func entries(_ count: Int) -> [Entry] {
        var hash = start
        return (1...count).map { number in
            let bytes = Array("event \(number)".utf8)
            hash = Chain.next(after: hash, bytes)
            return Entry(position: Position(number), hash: hash, bytes: bytes)
        }
    }

    private func damage(_ entries: [Entry], pages sizes: [Int]) -> [ChainDamage] {
        var (found, rest) = ([ChainDamage](), entries[...])
        var (stored, recomputed, position): ([UInt8]?, [UInt8]?, Position) = (start, nil, 0)
        for size in sizes + [entries.count] where !rest.isEmpty {
            var check = DamagedChain(after: (stored, recomputed), at: position)
            let page = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            check.add(page)
            found += check.damage
            (stored, recomputed, position) = (page.last?.hash, check.recomputed, page.last?.position ?? position)
        }
        return found
    }

    @Test(arguments: [[], [3], [4], [5], [1, 1, 1, 1, 1, 1]])
    func `every changed byte and every changed hash is reported once, at its own position`(pages: [Int]) {
        // given a chain of twelve entries, of which two have other bytes and two another hash
        var entries = entries(12)
        for place in [3, 8] {
            entries[place] = Entry(position: Position(place + 1), hash: entries[place].hash, bytes: [7])
        }
        for place in [5, 10] {
            entries[place] = Entry(position: Position(place + 1), hash: start, bytes: entries[place].bytes)
        }
        // when it is verified page by page
        let damage = damage(entries, pages: pages)
        // then these four are reported and no others
        #expect(damage == [.broken(4), .broken(6), .broken(9), .broken(11)])
    }

    @Test func `missing entries are reported, and verification resumes behind them`() {
        var entries = entries(12)
        entries[10] = Entry(position: 11, hash: entries[10].hash, bytes: [7])
        entries.removeSubrange(4...5)
        entries.removeFirst()
        #expect(damage(entries, pages: [4]) == [.missing(1...1), .missing(5...6), .broken(11)])
    }

    @Test func `a sound chain has no damage`() {
        #expect(damage(entries(12), pages: [5]).isEmpty)
    }
}
