import EventSourcing
import EventStore

/// Positions of a journal at which only a hash is left, until an event of that journal says that these were let go.
///
/// It comes later in the journal. Until then a bit is held for each position of a run that has such ones.
struct PrunedPositions {
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

    /// Which positions are empty without an event of the journal that pruned them, a sentence for each run of them.
    func flaws(of feed: String) -> [String] {
        var ranges: [ClosedRange<Position>] = []
        for (number, bits) in waiting.sorted(by: { $0.key < $1.key }) {
            for offset in 0..<Self.run where bits[Int(offset) / 8] & Self.bit(offset) != 0 {
                let position = number * Self.run + offset + 1
                if let last = ranges.last, last.upperBound + 1 == position {
                    ranges[ranges.count - 1] = last.lowerBound...position
                } else {
                    ranges.append(position...position)
                }
            }
        }
        return ranges.map { range in
            range.count == 1
                ? "position \(range.lowerBound) of \(feed) is empty, and nothing in the journal says that it was let go"
                : "positions \(range.lowerBound)–\(range.upperBound) of \(feed) are empty, "
                    + "and nothing in the journal says that they were let go"
        }
    }

    private static func bit(_ offset: Position) -> UInt8 { 0x80 >> UInt8(offset % 8) }
}
