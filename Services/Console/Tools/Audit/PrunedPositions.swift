import EventSourcing
import EventStore

/// Positions of a journal that have only a hash, until a later event of the journal records that they were pruned.
///
/// Until then, one bit per position is stored for each run that has such positions.
struct PrunedPositions {
    /// By the number of a run, a bitmap of the positions that no event explains yet.
    private var waiting: [Position: [UInt8]] = [:]
    /// The number of all pruned positions.
    private(set) var count = 0

    private static let run = Position(StoreLimits.sealEvents)

    /// Whether some of them are not explained yet.
    var isWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ position: Position) {
        count += 1
        let (number, offset) = (position - 1).quotientAndRemainder(dividingBy: Self.run)
        waiting[number, default: [UInt8](repeating: 0, count: Int(Self.run) / 8)][Int(offset) / 8] |= Self.bit(offset)
    }

    /// Marks the positions before `recorded` that `pruned` names as explained.
    mutating func explain(_ pruned: JournalPruned, recordedAt recorded: Position) {
        guard isWaiting else { return }
        for position in pruned.positions where position < recorded {
            let (number, offset) = (position - 1).quotientAndRemainder(dividingBy: Self.run)
            waiting[number]?[Int(offset) / 8] &= ~Self.bit(offset)
        }
        waiting = waiting.filter { !$0.value.allSatisfy { $0 == 0 } }
    }

    /// Returns a sentence for each range of empty positions that no event of the journal records as pruned.
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
                ? "position \(range.lowerBound) of \(feed) is empty, and no event of the journal records it as pruned"
                : "positions \(range.lowerBound)–\(range.upperBound) of \(feed) are empty, "
                    + "and no event of the journal records them as pruned"
        }
    }

    private static func bit(_ offset: Position) -> UInt8 { 0x80 >> UInt8(offset % 8) }
}
