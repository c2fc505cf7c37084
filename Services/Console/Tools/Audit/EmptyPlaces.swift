import EventSourcing
import EventStore

/// Positions of a journal at which only a hash is left, until an event of that journal says that these were let go.
///
/// It comes later in the journal. Until then a bit is held for each position of a run that has such ones.
struct EmptyPlaces {
    /// By the number of a run, the positions in it of which nothing is said yet.
    private var waiting: [Position: [UInt8]] = [:]
    /// How many there are in all.
    private(set) var count = 0

    private static let run = Position(StoreLimits.sealEvents)

    /// Nothing is said yet of some of them.
    var isWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ position: Position) {
        count += 1
        let (number, offset) = (position - 1).quotientAndRemainder(dividingBy: Self.run)
        waiting[number, default: [UInt8](repeating: 0, count: Int(Self.run) / 8)][Int(offset) / 8] |= Self.bit(offset)
    }

    /// What the journal says was let go before `told`.
    mutating func explain(_ pruned: JournalPruned, toldAt told: Position) {
        guard isWaiting else { return }
        for position in pruned.positions where position < told {
            let (number, offset) = (position - 1).quotientAndRemainder(dividingBy: Self.run)
            waiting[number]?[Int(offset) / 8] &= ~Self.bit(offset)
        }
        waiting = waiting.filter { !$0.value.allSatisfy { $0 == 0 } }
    }

    /// What is wrong with the first of them of which nothing was said.
    func flaw(of feed: String) -> String? {
        guard let (number, bits) = waiting.min(by: { $0.key < $1.key }) else { return nil }
        let empty = (0..<Self.run).filter { bits[Int($0) / 8] & Self.bit($0) != 0 }
        guard let first = empty.first else { return nil }
        let last = zip(empty, first...).prefix { $0 == $1 }.last?.0 ?? first
        let (from, to) = (number * Self.run + first + 1, number * Self.run + last + 1)
        return from == to
            ? "position \(from) of \(feed) is empty, and nothing in the journal says that it was let go"
            : "positions \(from)–\(to) of \(feed) are empty, and nothing in the journal says that they were let go"
    }

    private static func bit(_ offset: Position) -> UInt8 { 0x80 >> UInt8(offset % 8) }
}
