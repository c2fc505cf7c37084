import EventSourcing
import Events
import Vocabulary

/// The history of a lot from its plot on. Pure.
///
/// It contains the lot's own steps and those of the lots it was split from, up to each split. Of an ancestor's later
/// steps it contains only corrections of the harvest, which was this lot's harvest, too.
struct LotHistory {
    /// The steps in the order they happened.
    let steps: [CustodyRow]
    /// The stay on the plot while it grew, then in each store.
    let stays: [Stay]
    /// The arrival at the current place; on the plot, the time of the harvest.
    var since: Instant? { stays.compactMap { $0.role == .field ? $0.to : $0.from }.max() }

    init(of lot: LotRow, from tables: any Tables) {
        var steps = tables.scan(CustodyRow.self, prefix: "\(lot.key)|", limit: .max)
        var (child, depth) = (lot, 0)
        while let id = child.state.parent, depth < LedgerLimits.ancestors,
            let parent = tables.get(LotRow.self, id.rawValue)
        {
            let own = tables.scan(CustodyRow.self, prefix: "\(id)|", limit: .max)
            let later = own.dropFirst(child.inherited).filter { $0.step == .corrected }
            steps = own.prefix(child.inherited) + later + steps
            (child, depth) = (parent, depth + 1)
        }
        self.steps = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
            \.element)
        stays = Self.stays(of: lot, self.steps)
    }

    /// Returns the number of splits between the lot and its harvest.
    static func depth(of lot: LotRow, in tables: any Tables) -> Int {
        var depth = 0
        var parent = lot.state.parent
        while let id = parent, depth < LedgerLimits.ancestors, let row = tables.get(LotRow.self, id.rawValue) {
            depth += 1
            parent = row.state.parent
        }
        return depth
    }

    private static func stays(of lot: LotRow, _ steps: [CustodyRow]) -> [Stay] {
        guard let harvest = lot.state.harvest, let harvested = lot.state.harvestedAt else { return [] }
        var stays = [Stay(place: .plot(harvest.plot), role: .field, from: harvest.from, to: harvested)]
        for step in steps {
            switch step.step {
            case .stored:
                stays[stays.count - 1].close(at: step.at)
                if let place = step.place { stays.append(Stay(place: place, role: .store, from: step.at)) }
            case .handedOver:
                stays[stays.count - 1].close(at: step.at)
                return stays
            case .harvested, .corrected, .split, .packed, .recalled, .held, .released, .holdLifted: break
            }
        }
        return stays
    }
}

extension Stay {
    fileprivate mutating func close(at time: Instant) {
        if to == nil { to = time }
    }
}
